/*
 * Compound commands: groups, conditions, loops, case, functions, coprocesses. Their
 * commands are listed in the order of the text.
 */
#include "runtime/line/shell/parse.h"

static bool body(struct shell *s, enum shell_reserved until, const char *why)
{
	return shell_list(s, false) && shell_take(s, until, why);
}

static bool subshell(struct shell *s)
{
	struct sh_cmd **inner = s->tail;

	s->p++;
	s->parens++;
	s->marks |= SH_IN_SUBSHELL;
	if (!shell_flow(s, SH_F_SUB, NULL) || !shell_list(s, false) ||
	    !shell_flow(s, SH_F_END_SUB, NULL))
		return false;
	SHELL_DROP(s, inner, SUBSHELL);
	if (shell_at(s) != ')')
		return shell_fail(s, s->p, "a '(' is not closed");
	s->p++;
	s->parens--;
	return true;
}

static bool condition(struct shell *s)
{
	const char *end;

	if (!shell_flow(s, SH_F_IF, NULL) || !body(s, R_THEN, "a 'then' is missing"))
		return false;
	s->marks |= SH_IN_BRANCH;
	for (;;) {
		if (!shell_flow(s, SH_F_THEN, NULL) || !shell_list(s, false))
			return false;
		switch ((unsigned)shell_reserved(s, &end)) {
		case R_ELIF:
			s->p = end;
			if (!shell_flow(s, SH_F_ELIF, NULL) ||
			    !body(s, R_THEN, "a 'then' is missing"))
				return false;
			break;
		case R_ELSE:
			s->p = end;
			return shell_flow(s, SH_F_ELSE, NULL) &&
			       body(s, R_FI, "a 'fi' is missing") &&
			       shell_flow(s, SH_F_FI, NULL);
		case R_FI:
			s->p = end;
			return shell_flow(s, SH_F_FI, NULL);
		default:
			return shell_fail(s, s->p, "a 'fi' is missing");
		}
	}
}

/* Reads the commands of a loop, and its end. */
static bool loop_body(struct shell *s, bool braces)
{
	const char *end;

	shell_blanks(s);
	if (braces && !s->posix && !SHELL_OFF(LOOP_BRACES) &&
	    shell_reserved(s, &end) == R_LBRACE) {
		s->p = end;
		return body(s, R_RBRACE, "a '}' is missing") &&
		       shell_flow(s, SH_F_END_LOOP, NULL);
	}
	return shell_take(s, R_DO, "a 'do' is missing") &&
	       body(s, R_DONE, "a 'done' is missing") && shell_flow(s, SH_F_END_LOOP, NULL);
}

static bool while_loop(struct shell *s)
{
	s->marks |= SH_IN_LOOP;
	return shell_flow(s, SH_F_LOOP, NULL) && shell_list(s, false) &&
	       loop_body(s, false);
}

/* Reads words up to the end of the line or a ';', and that as well. */
static bool loop_words(struct shell *s, struct sh_cmd *c)
{
	struct sh_word **tail = &c->words, *first, *last;
	struct sh_cmd **inner = s->tail;

	for (;;) {
		shell_blanks(s);
		SHELL_DROP(s, inner, LOOP_WORDS);
		if (*s->p == ';' || *s->p == '\n' || !*s->p)
			break;
		if (!shell_starts_word(s))
			return shell_fail(s, s->p, "this does not belong here");
		if (!shell_word(s, W_BRACES, &first, &last))
			return false;
		*tail = first;
		tail = &last->next;
		for (; first; first = first->next)
			c->nwords++;
	}
	s->p += *s->p == ';';
	return shell_newlines(s);
}

static bool for_arith(struct shell *s)
{
	struct sh_cmd *outer = s->cmd;
	bool is = false;

	s->semicolons = 0;
	if (shell_peek(s) != '(')
		return shell_fail(s, s->p, "the name of a loop's variable is missing");
	if (!shell_dparen(s, &is))
		return false;
	s->cmd = outer;
	if (!is || s->semicolons != 2)
		return shell_fail(s, s->p, "no three expressions of a loop");
	shell_blanks(s);
	s->p += *s->p == ';';
	return shell_newlines(s) && shell_flow(s, SH_F_LOOP, NULL) && loop_body(s, true);
}

static bool for_loop(struct shell *s, bool select)
{
	struct sh_cmd *outer = s->cmd, *c;
	const char *name, *end;
	bool ok = true;

	shell_blanks(s);
	s->marks |= SH_IN_LOOP;
	if (*s->p == '(' && !s->posix && !select && !SHELL_OFF(LOOP_ARITH))
		return for_arith(s);
	for (name = s->p; shell_is(*s->p, C_NAME); s->p++)
		;
	if (!sh_is_name(name, (size_t)(s->p - name)) || !shell_is(*s->p, C_META))
		return shell_fail(s, name, "the name of a loop's variable is missing");
	if (!(c = shell_cmd(s, SH_LOOP, name)))
		return false;
	c->name = name;
	c->name_n = (uint32_t)(s->p - name);
	shell_blanks(s);
	if (*s->p == ';' && !SHELL_OFF(LOOP_SEMICOLON)) {
		s->p++;
		ok = shell_newlines(s);
	} else if ((ok = shell_newlines(s)) && shell_reserved(s, &end) == R_IN) {
		s->p = end;
		s->cmd = c;
		ok = loop_words(s, c);
		s->cmd = outer;
	}
	if (s->src.line)
		c->to = shell_offset(s, s->p);
	ok = ok && (!select || shell_flow(s, SH_F_SETS, c));
	return ok && shell_flow(s, SH_F_LOOP, select ? NULL : c) && loop_body(s, true);
}

/* Reads patterns, including their ')'. *ret_all is set if one of them matches any word. */
static bool case_patterns(struct shell *s, bool *ret_all)
{
	struct sh_cmd **inner = s->tail;
	struct sh_word *w;

	shell_blanks(s);
	if (*s->p == '(' && !SHELL_OFF(CASE_PAREN)) {
		s->p++;
		shell_blanks(s);
	}
	for (;;) {
		if (!shell_starts_word(s))
			return shell_fail(s, s->p, "a pattern is missing");
		if (!shell_word(s, W_PLAIN, &w, &w))
			return false;
		*ret_all |= w->seg.kind == SH_GLOB && w->seg.n == 1 && *w->seg.p == '*' &&
			    !w->seg.next;
		shell_blanks(s);
		SHELL_DROP(s, inner, CASE_PATTERN);
		if (*s->p == ')')
			break;
		if (*s->p != '|' || SHELL_OFF(CASE_ALTERNATIVE))
			return shell_fail(s, s->p, "a ')' is missing behind a pattern");
		s->p++;
		shell_blanks(s);
	}
	s->p++;
	return true;
}

/* The patterns of a clause, and its commands. */
static bool case_clause(struct shell *s)
{
	struct sh_flow *f;
	bool all = false;

	if (!shell_flow(s, SH_F_CLAUSE, NULL))
		return false;
	f = s->quiet ? NULL : s->last;
	if (!case_patterns(s, &all))
		return false;
	if (f && all)
		f->note = f;
	return shell_list(s, true);
}

static bool case_clauses(struct shell *s)
{
	const char *end;

	for (;;) {
		struct sh_cmd **inner;

		if (!shell_newlines(s))
			return false;
		if (shell_reserved(s, &end) == R_ESAC)
			break;
		inner = s->tail;
		if (!case_clause(s))
			return false;
		SHELL_DROP(s, inner, CASE_CLAUSE);
		if (shell_at(s) == ';' && shell_peek(s) == ';') {
			shell_next(s);
			s->p++;
			if (!s->posix && shell_at(s) == '&' && !SHELL_OFF(CASE_NEXT))
				s->p++;
		} else if (*s->p == ';' && shell_peek(s) == '&' && !s->posix &&
			   !SHELL_OFF(CASE_THROUGH)) {
			shell_next(s);
			s->p++;
		} else if (shell_reserved(s, &end) == R_ESAC && !SHELL_OFF(CASE_LAST)) {
			break;
		} else {
			return shell_fail(s, s->p, "an 'esac' is missing");
		}
	}
	s->p = end;
	return true;
}

static bool case_command(struct shell *s, const char *from)
{
	struct sh_cmd *c = shell_cmd(s, SH_CASE, from);
	bool ok;

	if (!c)
		return false;
	s->cmd = c;
	shell_blanks(s);
	ok = !shell_starts_word(s) ?
		     shell_fail(s, s->p, "a word is missing behind 'case'") :
		     shell_word(s, W_PLAIN, &c->words, &c->words) &&
	     (SHELL_OFF(CASE_NEWLINE) || shell_newlines(s)) &&
			     shell_take(s, R_IN, "an 'in' is missing");
	if (s->src.line)
		c->to = shell_offset(s, s->p);
	c->nwords = c->words != NULL;
	s->marks |= SH_IN_BRANCH;
	/* the substitutions in the patterns belong to it as well */
	return ok && shell_flow(s, SH_F_CASE, c) && case_clauses(s) &&
	       shell_flow(s, SH_F_ESAC, NULL);
}

bool shell_function(struct shell *s, const char *from, const char *name, size_t n)
{
	struct sh_cmd *outer = s->func, *c = shell_cmd(s, SH_FUNCTION, from);
	struct sh_cmd **inner = s->tail;
	uint32_t marks = s->marks;
	bool is = false, ok;

	if (!c)
		return false;
	c->name = name;
	c->name_n = (uint32_t)n;
	s->func = c;
	if (!shell_deeper(s) || !shell_flow(s, SH_F_FUNC, c) || !shell_newlines(s))
		return false;
	ok = s->posix && !SHELL_OFF(FUNCTION_SIMPLE) ? shell_command(s) :
						       shell_compound(s, &is);
	ok = ok && shell_flow(s, SH_F_END_FUNC, NULL);
	SHELL_DROP(s, inner, FUNCTION_BODY);
	s->func = outer;
	s->marks = marks;
	s->depth--;
	if (ok && !is && !s->posix)
		ok = shell_fail(s, s->p, "the body of a function is missing");
	if (s->src.line)
		c->to = shell_offset(s, s->p);
	return ok;
}

static bool function_keyword(struct shell *s, const char *from)
{
	struct sh_word *w;

	shell_blanks(s);
	if (!shell_starts_word(s))
		return shell_fail(s, s->p, "the name of a function is missing");
	if (!shell_word(s, W_PLAIN, &w, &w))
		return false;
	if (!sh_is_literal(w) || (w->flags & SH_W_QUOTED))
		return shell_fail(s, s->p, "the name of a function is no plain word");
	shell_blanks(s);
	if (*s->p == '(' && shell_peek(s) != '(' && !SHELL_OFF(FUNCTION_WORD_PAREN)) {
		s->p++;
		shell_blanks(s);
		if (*s->p != ')')
			/* the body may be a subshell */
			return shell_fail(s, s->p, "a ')' is missing");
		s->p++;
	}
	return shell_function(s, from, w->seg.p, w->seg.n);
}

static size_t name_length(const char *p)
{
	const char *end = p;

	while (shell_is(*end, C_NAME))
		end++;
	return (size_t)(end - p);
}

enum { COPROC_MARKS = SH_IN_SUBSHELL | SH_IN_BACKGROUND | SH_COPROC };

/* The name of a coprocess. The shell itself sets this variable, to the numbers of two
 * descriptors. */
static bool coproc_name(struct shell *s, const char *name, uint32_t marks)
{
	uint32_t own = s->marks;
	struct sh_cmd *c;

	s->marks = marks;
	c = shell_cmd(s, SH_LOOP, name);
	s->marks = own;
	if (!c)
		return false;
	c->name = name;
	c->name_n = (uint32_t)name_length(name);
	if (s->src.line)
		c->to = c->from + c->name_n;
	return shell_flow(s, SH_F_SETS, c);
}

/* coproc [NAME] compound, or coproc and a simple command. */
static bool coprocess(struct shell *s)
{
	uint32_t marks = s->marks;
	const char *at, *end, *second;
	enum shell_reserved r;
	bool is = false;

	s->marks |= COPROC_MARKS;
	shell_blanks(s);
	r = shell_reserved(s, &end);
	if (r == R_BANG || r == R_IN)
		return shell_fail(s, s->p, "a reserved word where a command begins");
	if (!shell_compound(s, &is) || is)
		return is;
	/* a reserved word is also reserved after a first word, but not after an
	 * assignment */
	at = s->p;
	second = at + name_length(at);
	if (second > at && (*second == '=' || (*second == '+' && second[1] == '=')))
		return shell_simple(s);
	for (; !shell_is(*s->p, C_META); s->p++)
		if (strchr("'\"\\$`", *s->p)) {
			shell_fail(s, s->p, "a coprocess whose first word is quoted");
			s->p = at;
			return shell_simple(s);
		}
	shell_blanks(s);
	/* the next word may be an assignment, or look like one */
	second = s->p + name_length(s->p);
	if (second > s->p && (*second == '[' || *second == '=' || *second == '+')) {
		shell_fail(s, s->p, "an assignment behind the first word of a coprocess");
		s->arrays = true;
	}
	r = shell_reserved(s, &end);
	if (!SHELL_OFF(COPROC_NAME) && (*s->p == '(' || (r != R_NONE && r != R_TIME))) {
		if (r == R_BANG || r == R_IN || !sh_is_name(at, name_length(at)) ||
		    !shell_is(at[name_length(at)], C_META))
			return shell_fail(s, s->p, "this does not belong behind 'coproc'");
		return coproc_name(s, at, marks) && shell_compound(s, &is) && is;
	}
	s->p = at;
	return shell_simple(s);
}

static bool coproc(struct shell *s)
{
	return shell_flow(s, SH_F_SUB, NULL) && coprocess(s) &&
	       shell_flow(s, SH_F_END_SUB, NULL);
}

static bool by_word(struct shell *s, enum shell_reserved r, const char *from)
{
	switch (r) {
	case R_LBRACE:
		return body(s, R_RBRACE, "a '}' is missing");
	case R_IF:
		return condition(s);
	case R_WHILE:
	case R_UNTIL:
		return while_loop(s);
	case R_FOR:
	case R_SELECT:
		return for_loop(s, r == R_SELECT);
	case R_CASE:
		return case_command(s, from);
	case R_COND:
		return shell_cond(s);
	case R_FUNCTION:
		return function_keyword(s, from);
	case R_COPROC:
		return coproc(s);
	case R_NONE:
	case R_BANG:
	case R_RBRACE:
	case R_DO:
	case R_DONE:
	case R_ELIF:
	case R_ELSE:
	case R_ESAC:
	case R_FI:
	case R_IN:
	case R_THEN:
	case R_TIME:
	case R_COND_END:
		break;
	}
	return shell_fail(s, from, "a reserved word where a command begins");
}

/* All but `time`, which is reserved only before a pipeline and a plain name elsewhere. */
static bool is_compound(enum shell_reserved r)
{
	return r != R_NONE && r != R_TIME;
}

bool shell_compound(struct shell *s, bool *ret_is)
{
	struct sh_cmd *outer = s->cmd;
	struct sh_flow **begin = s->flow;
	uint32_t marks = s->marks;
	const char *from = s->p, *end;
	enum shell_reserved r = R_NONE;
	bool ok;

	*ret_is = true;
	if (shell_at(s) == '(') {
		bool arith = false;

		if (!shell_deeper(s))
			return false;
		ok = !(shell_peek(s) == '(' && !s->posix) || SHELL_OFF(ARITH_COMMAND) ||
		     shell_dparen(s, &arith);
		s->cmd = outer;
		ok = ok && (arith || subshell(s));
	} else if (is_compound(r = shell_reserved(s, &end))) {
		if (!shell_deeper(s))
			return false;
		s->p = end;
		ok = by_word(s, r, from);
	} else {
		*ret_is = false;
		return true;
	}
	s->depth--;
	s->marks = marks;
	s->cmd = outer;
	/* a coprocess and a function's body have read their own redirections */
	if (!ok || r == R_COPROC || r == R_FUNCTION)
		return ok;
	return shell_redirs_after(s, begin);
}
