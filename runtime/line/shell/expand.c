/*
 * What a '$' or a backquote begins: finds where it ends and which commands it runs. Its
 * value is never known.
 */
#include "runtime/line/shell/parse.h"

/* The state of the surrounding text that a substitution sets aside. */
struct around {
	struct shell_heredoc *pending, **tail;
	struct sh_cmd *func;
	const char *from;
	uint32_t marks, depth, patterns;
};

static bool enter(struct shell *s, struct around *a)
{
	*a = (struct around){ s->pending, s->pending_tail, s->func, s->p,
			      s->marks, s->depth, s->patterns };
	if (!shell_deeper(s) || !shell_flow(s, SH_F_SUBST, s->cmd))
		return false;
	s->pending = NULL;
	s->pending_tail = &s->pending;
	s->marks |= SH_IN_SUBST;
	s->patterns = 0;
	return true;
}

static bool leave(struct shell *s, const struct around *a)
{
	if (s->pending)
		shell_fail(s, s->p, "a here-document that begins behind its substitution");
	s->pending = a->pending;
	s->pending_tail = a->pending ? a->tail : &s->pending;
	s->func = a->func;
	s->marks = a->marks;
	s->depth = a->depth;
	s->patterns = a->patterns;
	return shell_flow(s, SH_F_END_SUB, NULL);
}

bool shell_substitution(struct shell *s)
{
	struct sh_cmd **inner = s->tail;
	struct around a;
	bool ok;

	if (!enter(s, &a))
		return false;
	ok = shell_text(s, ')');
	ok = leave(s, &a) && ok;
	SHELL_DROP(s, inner, SUBSTITUTION);
	if (s->pending && ok && memchr(a.from, '\n', (size_t)(s->p - a.from)))
		shell_fail(s, a.from, "a line end between a here-document and its text");
	s->p += ok;
	return ok;
}

bool shell_procsub(struct shell *s)
{
	struct sh_cmd **inner = s->tail;
	bool out = *s->p == '>', ok;

	shell_next(s);
	s->p++;
	ok = shell_substitution(s);
	if (out)
		SHELL_DROP(s, inner, PROCSUB_OUT);
	else
		SHELL_DROP(s, inner, PROCSUB_IN);
	return ok;
}

/* --- backquotes ------------------------------------------------------------------- */

/* The text without its own level of backslashes, as a source of its own. */
static bool unescaped(struct shell *s, const char *from, const char *end, bool in_quotes)
{
	struct shell_src outer = s->src;
	size_t n = (size_t)(end - from);
	char *to = shell_bytes(s, n + 4), *out = shell_bytes(s, n + 1);
	bool ok;

	if (!to || !out)
		return false;
	s->src = (struct shell_src){ .text = to, .out = out };
	s->src.from = outer.line ? (uint32_t)(from - outer.text) : outer.from;
	s->src.to = outer.line ? (uint32_t)(end - outer.text) : outer.to;
	for (; from < end; from++) {
		if (*from == '\\' && from[1] == '\n') {
			from++;
			continue;
		}
		if (*from == '\\' && (from[1] == '$' || from[1] == '`' || from[1] == '\\' ||
				      (from[1] == '"' && in_quotes &&
				       !SHELL_OFF(BACKQUOTE_QUOTE))))
			from++;
		else if (*from == '\\')
			*to++ = *from++;
		*to++ = *from;
	}
	memset(to, 0, 4);
	s->src.n = (uint32_t)(to - s->src.text);
	s->p = s->src.text;
	ok = shell_text(s, '\0');
	s->src = outer;
	return ok;
}

bool shell_backquote(struct shell *s, bool in_quotes)
{
	const char *from = s->p + 1;
	char *end = s->src.text + (from - s->src.text);
	struct sh_cmd **inner = s->tail;
	bool escaped = false, ok;
	struct around a;

	for (; *end && *end != '`'; end++)
		if (*end == '\\' && end[1]) {
			escaped = !SHELL_OFF(BACKQUOTE_ESCAPE);
			end++;
		}
	if (!*end) {
		s->src.open = from;
		s->p = end;
		return shell_fail(s, from, "a backquote is not closed");
	}
	s->p = from;
	if (!enter(s, &a))
		return false;
	if (escaped) {
		ok = unescaped(s, from, end, in_quotes);
	} else {
		*end = '\0';
		ok = shell_text(s, '\0');
		*end = '`';
	}
	ok = leave(s, &a) && ok;
	SHELL_DROP(s, inner, BACKQUOTE);
	s->p = end + 1;
	return ok;
}

/* --- dollar -------------------------------------------------------------------------- */

/*
 * Does bash take this text for arithmetic? It first counts the parentheses in it, also
 * those in substitutions and ${…}, but not those in quotes: $((p + $(case x in x) …)))
 * runs p. Bash counts in a text of its own, without comments, and with other parentheses
 * for `case`. If these or quotes might hide a parenthesis, the answer is no.
 */
static bool counts(const char *p, const char *end)
{
	unsigned open = 0, braces = 0;
	char quoted = '\0';

	if (memmem(p, (size_t)(end - p), "esac", 4) ||
	    (memmem(p, (size_t)(end - p), "<<", 2) && memchr(p, '\n', (size_t)(end - p))))
		return false;
	for (; p < end; p++) {
		if (*p == '#' && shell_is(p[-1], C_META)) {
			return false;
		} else if (*p == '\\') {
			p++;
		} else if (quoted && *p == quoted) {
			if (braces)
				return false;
			quoted = '\0';
		} else if (quoted && strchr("()`", *p)) {
			return false;
		} else if (quoted) {
			braces += *p == '{';
			braces -= *p == '}' && braces;
		} else if (*p == '"' || *p == '\'') {
			quoted = *p;
		} else if (*p == '(') {
			open++;
		} else if (*p == ')' && !open--) {
			return false;
		}
	}
	return !open && !quoted;
}

/* The end of the text of arithmetic that is closed before p. */
static const char *arith_end(const char *p)
{
	p--;
	while (p[-1] == '\n' && p[-2] == '\\')
		p -= 2;
	return p - 1;
}

/* "((" is at p. It is arithmetic only if it also closes as arithmetic. If not, it is read
 * once more for the commands in it. */
static bool double_paren(struct shell *s)
{
	const char *at;
	bool closed;

	shell_next(s);
	at = s->p;
	s->p++;
	if (shell_arith(s, ')', &closed) && closed &&
	    (s->posix || SHELL_OFF(ARITH_COUNT) || counts(at + 1, arith_end(s->p))))
		return true;
	if (shell_is_limit(s))
		return false;
	shell_fail(s, at, "a '$((' that is no arithmetic");
	s->src.open = NULL;
	s->p = at;
	return shell_again(s) && shell_substitution(s);
}

/* $' or $", in bash and outside of quotes. */
static bool dollar_quote(struct shell *s, struct shell_word *b)
{
	if (*s->p == '\'')
		return SHELL_OFF(QUOTE_ANSI) ? shell_single(s, b) : shell_ansi(s, b);
	if (b)
		b->w->flags |= SH_W_LOCALE;
	if (b && SHELL_OFF(QUOTE_LOCALE) && !shell_lit_byte(s, b, '$', s->p))
		return false;
	return shell_double(s, b);
}

static bool value(struct shell *s, struct shell_word *b, int in, bool multi)
{
	if (!b)
		return true;
	if (in == IN_WORD && !SHELL_OFF(SPLITTING))
		return shell_unquoted(s, b);
	return shell_seg(s, b, multi && !SHELL_OFF(QUOTED_AT) ? SH_MULTI : SH_ANY, NULL, 0);
}

/* Is the expansion from `start` to p a number? */
static bool is_number(const struct shell *s, const char *start)
{
	size_t n = (size_t)(s->p - start);

	if (n > 4 && memcmp(start, "$((", 3) == 0)
		return s->p[-1] == ')' && s->p[-2] == ')' && s->number == start;
	return n == 2 && (start[1] == '#' || start[1] == '?' || start[1] == '$');
}

/* Reads ${…}, $((…)), $(…) and $[…]. *ret_is is false if none of them begins at c. */
static bool bracketed(struct shell *s, char c, int in, bool *ret_multi, bool *ret_is)
{
	uint32_t depth = s->depth;
	bool ok, closed;

	*ret_is = (c == '{' && !SHELL_OFF(PARAM)) || c == '(' ||
		  (c == '[' && !s->posix && !SHELL_OFF(ARITH_OLD));
	if (!*ret_is)
		return true;
	if (c == '(' && (shell_peek(s) != '(' || SHELL_OFF(ARITH_EXPANSION))) {
		s->p++;
		return shell_substitution(s);
	}
	if (!shell_deeper(s))
		return false;
	if (c == '(') {
		const char *start = s->p - 1;
		bool was = s->ret->status == SH_PARSED;

		ok = double_paren(s);
		/* else it may have been a substitution */
		if (ok && was && s->ret->status == SH_PARSED)
			s->number = start;
	} else {
		s->p++;
		ok = c == '{' ? shell_param(s, in, ret_multi) :
				shell_arith(s, ']', &closed);
	}
	s->depth = depth;
	return ok;
}

/* The name in "$NAME" or "${NAME}", or one digit; NULL: it is another expansion. */
static const char *plain_name(const char *p, size_t n, size_t *ret_n)
{
	bool braces = n > 3 && p[1] == '{' && p[n - 1] == '}';

	p += braces ? 2 : 1;
	*ret_n = n - (braces ? 3 : 1);
	return sh_is_name(p, *ret_n) || (*ret_n == 1 && shell_is(*p, C_DIGIT)) ? p : NULL;
}

/* Directories that are known unless the line sets the variable. */
static void name_of(const char *p, size_t n, struct sh_seg *ret)
{
	static const char *const names[] = { "$HOME", "${HOME}", "$PWD", "${PWD}" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strlen(names[i]) == n && memcmp(names[i], p, n) == 0) {
			ret->p = i < 2 ? "HOME" : "PWD";
			ret->n = i < 2 ? 4 : 3;
		}
}

bool shell_dollar(struct shell *s, struct shell_word *b, int in, bool *ret_multi)
{
	const char *start = s->p;
	char c = shell_next(s);
	bool multi = false, is, beside;
	const char *name;
	size_t name_n;

	if (in == IN_WORD && !s->posix && (c == '\'' || c == '"'))
		return dollar_quote(s, b);
	if (shell_is(c, C_NAME) && !SHELL_OFF_AT(PARAM_NAME, shell_is(c, C_DIGIT) != 0)) {
		s->p++;
		if (!shell_is(c, C_DIGIT))
			while (shell_is(shell_at(s), C_NAME))
				s->p++;
	} else if (shell_is(c, C_SPECIAL) && !SHELL_OFF(PARAM_SPECIAL)) {
		multi = c == '@';
		s->p++;
		/* when bash looks for the end of the text, it also takes the second '$'
		 * for the beginning of an expansion */
		if (c == '$' && !s->posix && (in == IN_QUOTES || !b) && *s->p &&
		    strchr("({[", shell_at(s))) {
			shell_fail(s, start, "a '$$' before a bracket in quotes");
			if (in == IN_QUOTES && !bracketed(s, *s->p, in, &multi, &is))
				return false;
		}
	} else if (!bracketed(s, c, in, &multi, &is)) {
		return false;
	} else if (!is) {
		return !b || shell_lit(s, b, start, 1);
	}
	*ret_multi |= multi;
	beside = b && (b->last->kind == SH_ANY || b->last->kind == SH_MULTI);
	if (!value(s, b, in, multi))
		return false;
	if (b && !beside && b->last->kind != SH_LIT)
		name_of(start, (size_t)(s->p - start), b->last);
	if (b && b->last->kind != SH_LIT)
		b->last->number = is_number(s, start);
	if (b && b->last->kind != SH_LIT && !b->last->p &&
	    (name = plain_name(start, (size_t)(s->p - start), &name_n)))
		b->last->var = shell_var(s, name, name_n) & 127;
	return true;
}
