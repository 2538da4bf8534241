/*
 * Lists, pipelines and reserved words: what joins commands, where a command may begin,
 * and where a list ends.
 */
#include "runtime/line/shell/parse.h"

/* --- reserved words --------------------------------------------------------------- */

static const struct reserved {
	char word[8]; /* the longest has no NUL at its end */
	uint8_t is;
	bool bash_only;
} words[] = {
	{ "!", R_BANG, false },         { "{", R_LBRACE, false },
	{ "}", R_RBRACE, false },       { "[[", R_COND, true },
	{ "do", R_DO, false },          { "fi", R_FI, false },
	{ "if", R_IF, false },          { "in", R_IN, false },
	{ "for", R_FOR, false },        { "case", R_CASE, false },
	{ "done", R_DONE, false },      { "elif", R_ELIF, false },
	{ "else", R_ELSE, false },      { "esac", R_ESAC, false },
	{ "then", R_THEN, false },      { "time", R_TIME, true },
	{ "until", R_UNTIL, false },    { "while", R_WHILE, false },
	{ "coproc", R_COPROC, true },   { "select", R_SELECT, true },
	{ "function", R_FUNCTION, true }, { "]]", R_COND_END, true },
};

/* The bytes with which reserved words begin. */
static const bool begins[256] = {
	['!'] = true, ['{'] = true, ['}'] = true, ['['] = true, ['c'] = true,
	['d'] = true, ['e'] = true, ['f'] = true, ['i'] = true, ['s'] = true,
	['t'] = true, ['u'] = true, ['w'] = true, [']'] = true,
};

enum shell_reserved shell_reserved(struct shell *s, const char **ret_end)
{
	const char *start = s->p;
	enum shell_reserved is = R_NONE;
	char w[sizeof(words[0].word)] = "";
	size_t n = 0, i;

	if (!begins[(unsigned char)shell_at(s)])
		return R_NONE;
	while (n < sizeof(w) && !shell_is(shell_at(s), C_META))
		w[n++] = *s->p++;
	/* a process substitution continues the word: "if<(x)" is the name of a program */
	if (!s->posix && (*s->p == '<' || *s->p == '>') && s->p[1] == '(') {
		s->p = start;
		return R_NONE;
	}
	if (shell_is(shell_at(s), C_META))
		for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
			if (memcmp(words[i].word, w, sizeof(w)) == 0 &&
			    !(words[i].bash_only && s->posix) &&
			    !SHELL_OFF_AT(WORD_BANG, words[i].is - R_BANG)) {
				is = words[i].is;
				*ret_end = s->p;
				break;
			}
	s->p = start;
	return is;
}

bool shell_take(struct shell *s, enum shell_reserved r, const char *why)
{
	const char *end;

	shell_blanks(s);
	if (shell_reserved(s, &end) != r)
		return shell_fail(s, s->p, why);
	s->p = end;
	return true;
}

/* --- lists ------------------------------------------------------------------------- */

static void mark_from(struct shell *s, struct sh_cmd **from, uint32_t mark)
{
	struct sh_cmd *c;

	if (!s->quiet && mark)
		for (c = *from; c; c = c->next)
			c->marks |= mark;
}

bool shell_newline(struct shell *s)
{
	s->p++;
	return !s->pending || shell_heredocs(s);
}

bool shell_newlines(struct shell *s)
{
	for (;;) {
		shell_blanks(s);
		if (*s->p != '\n')
			return true;
		if (!shell_newline(s))
			return false;
	}
}

/* Where a list ends: a ')', a ";;", or a word that closes or continues. */
static bool is_end(struct shell *s)
{
	const char *end;
	char next;

	switch (shell_at(s)) {
	case '\0':
	case ')':
		return true;
	case ';':
		next = shell_peek(s);
		return next == ';' || (next == '&' && !s->posix);
	default:
		break;
	}
	switch ((unsigned)shell_reserved(s, &end)) {
	case R_RBRACE:
	case R_DO:
	case R_DONE:
	case R_ELIF:
	case R_ELSE:
	case R_ESAC:
	case R_FI:
	case R_THEN:
		return true;
	default:
		return false;
	}
}

/* Is there a '(', perhaps after a word: a subshell or a function? */
static bool has_paren(const char *p)
{
	while (shell_is(*p, C_PLAIN))
		p++;
	while (shell_is(*p, C_BLANK))
		p++;
	return *p == '(';
}

/* Reads the '!' and `time` before a pipeline. *ret_alone is set if nothing follows
 * them. */
static bool prefix(struct shell *s, bool *ret_alone, bool *ret_timed)
{
	const char *end;
	enum shell_reserved r;
	bool any = false, timed = false;

	*ret_alone = false;
	for (;;) {
		shell_blanks(s);
		r = shell_reserved(s, &end);
		/* it is a pattern if extglob has been switched on unnoticed */
		if (r == R_BANG && !s->posix && *end == '(')
			shell_fail(s, s->p, "a '!(' where a command begins");
		if (r == R_BANG && any && s->posix)
			return shell_fail(s, s->p, "a '!' after another");
		if (r != R_BANG && r != R_TIME)
			break;
		s->p = end;
		any = true;
		timed = r == R_TIME;
		*ret_timed |= timed;
		for (; timed && !SHELL_OFF(TIME_OPTIONS); s->p += 2) { /* -p, then -- */
			shell_blanks(s);
			if (s->p[0] != '-' || (s->p[1] != '-' && s->p[1] != 'p') ||
			    !shell_is(s->p[2], C_META))
				break;
			if (s->p[1] == '-')
				timed = false;
		}
	}
	*ret_alone = any && !s->posix && !SHELL_OFF(PREFIX_ALONE) &&
		     (!*s->p || *s->p == '\n' || (*s->p == ';' && !is_end(s)));
	/* in a substitution, bash accepts this after `time` */
	if (any && *s->p == ')')
		shell_fail(s, s->p, "a '!' or 'time' before a ')'");
	/* bash 5.2 does not see a reserved word there if `time` comes first */
	if (*ret_timed && (s->marks & SH_IN_SUBST) && (r != R_NONE || has_paren(s->p)))
		shell_fail(s, s->p, "a compound command behind 'time' in a substitution");
	return true;
}

static bool pipeline(struct shell *s)
{
	struct sh_cmd **from = s->tail;
	struct sh_flow **begin = s->flow;
	bool alone, timed = false;
	uint32_t marks = 0;

	if (!prefix(s, &alone, &timed) || (!alone && !shell_command(s)))
		return false;
	for (;;) {
		struct sh_cmd **right = s->tail;
		char next;

		shell_blanks(s);
		if (*s->p != '|' || (next = shell_peek(s)) == '|') {
			mark_from(s, from, marks | (timed ? SH_TIMED : 0));
			return !marks || shell_flow(s, SH_F_END_LAST, NULL);
		}
		if ((!marks && !shell_flow_at(s, begin, SH_F_SUB, NULL)) ||
		    !shell_flow(s, SH_F_END_SUB, NULL) || !shell_flow(s, SH_F_SUB, NULL))
			return false;
		shell_next(s);
		if (next == '&') {
			if (s->posix)
				return shell_fail(s, s->p, "a '|&' in this dialect");
			s->p++;
		}
		if (!(SHELL_OFF(PIPE_NEWLINE) || shell_newlines(s)) || !shell_command(s))
			return false;
		marks = SH_IN_PIPE;
		mark_from(s, right, SH_READS_PIPE);
		SHELL_DROP(s, right, PIPE);
		if (next == '&')
			SHELL_DROP(s, right, PIPE_BOTH);
	}
}

static bool and_or(struct shell *s)
{
	bool first = true;
	char c = '\0';

	for (;;) {
		struct sh_cmd **right = s->tail;

		if (!pipeline(s))
			return false;
		if (c == '&')
			SHELL_DROP(s, right, AND);
		else if (c == '|')
			SHELL_DROP(s, right, OR);
		shell_blanks(s);
		c = *s->p;
		if ((c != '&' && c != '|') || shell_peek(s) != c)
			return first || shell_flow(s, SH_F_END_LIST, NULL);
		if ((first && !shell_flow(s, SH_F_LIST, NULL)) ||
		    !shell_flow(s, c == '&' ? SH_F_AND : SH_F_OR, NULL))
			return false;
		first = false;
		shell_next(s);
		s->p++;
		s->marks |= SH_IN_BRANCH;
		if (!SHELL_OFF(BRANCH_NEWLINE) && !shell_newlines(s))
			return false;
	}
}

/* Reads what separates two lists. *ret_more is set if another list may follow. */
static bool separator(struct shell *s, struct sh_cmd **from, struct sh_flow **begin,
		      bool *ret_more)
{
	shell_blanks(s);
	*ret_more = true;
	if ((*s->p == ';' && SHELL_OFF(SEQUENCE)) ||
	    (*s->p == '&' && SHELL_OFF(BACKGROUND)) ||
	    (*s->p == '\n' && SHELL_OFF(NEWLINE)))
		return shell_fail(s, s->p, "switched off");
	switch (*s->p) {
	case '&':
		s->p++;
		mark_from(s, from, SH_IN_BACKGROUND);
		if (!shell_flow_at(s, begin, SH_F_SUB, NULL) ||
		    !shell_flow(s, SH_F_END_SUB, NULL))
			return false;
		break;
	case ';':
		if (is_end(s)) {
			*ret_more = false;
			return true;
		}
		s->p++;
		break;
	case '\n':
		break;
	default:
		*ret_more = false;
		return true;
	}
	shell_blanks(s);
	/* bash reads a whole line before it runs any of it */
	if (!s->depth && *s->p == '\n')
		s->extglob = s->extglob_next;
	return shell_newlines(s);
}

bool shell_list(struct shell *s, bool may_be_empty)
{
	uint32_t marks = s->marks;
	bool more = true, ok;

	if (!shell_newlines(s))
		return false;
	if (is_end(s))
		return may_be_empty || shell_fail(s, s->p, "a command is missing");
	while (more) {
		struct sh_cmd **from = s->tail;
		struct sh_flow **begin = s->flow;

		ok = and_or(s);
		s->marks = marks;
		if (!ok || !separator(s, from, begin, &more))
			return false;
		if (is_end(s))
			return true;
	}
	return shell_fail(s, s->p, "this does not belong here");
}

bool shell_command(struct shell *s)
{
	bool is = false;

	shell_blanks(s);
	if (!shell_compound(s, &is))
		return false;
	return is || shell_simple(s);
}
