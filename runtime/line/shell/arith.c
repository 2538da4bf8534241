/*
 * Arithmetic and subscripts: finds where they end and which commands run in them, and
 * whether bash evaluates the values of names in them, which may run more.
 */
#include "runtime/line/shell/parse.h"

static const char on_name[] = "arithmetic on a name, whose value may hold code";

static void evaluates(struct shell *s)
{
	/* dash evaluates only numbers */
	if (!s->posix)
		shell_evaluates(s->cmd, on_name);
}

/* A '$' or a backquote. */
static bool expansion(struct shell *s)
{
	struct sh_cmd **inner = s->tail;
	bool multi = false, ok;
	char next;

	if (*s->p == '`') {
		evaluates(s);
		ok = shell_backquote(s, s->posix);
		SHELL_DROP(s, inner, ARITH_BACKQUOTE);
		return ok;
	}
	next = shell_peek(s);
	if (!next || !strchr("#?$!", next))
		evaluates(s);
	ok = shell_dollar(s, NULL, IN_QUOTES, &multi);
	SHELL_DROP(s, inner, ARITH_DOLLAR);
	return ok;
}

/* Names and numbers. Bash evaluates the value of a name. */
static void operand(struct shell *s)
{
	if (!shell_is(*s->p, C_DIGIT))
		evaluates(s);
	while (shell_is(shell_at(s), C_NAME) || *s->p == '@' || *s->p == '#')
		s->p++;
}

static bool other(struct shell *s)
{
	if (*s->p == '"' && !s->posix) {
		evaluates(s);
		return shell_double(s, NULL);
	}
	if (*s->p == '"' || *s->p == '\'' || *s->p == '\\')
		shell_fail(s, s->p, "a quote in arithmetic");
	s->p++;
	return true;
}

/* Arithmetic that var.h may find harmless. false: a limit was exceeded. */
static bool plain(struct shell *s, bool *ret_is)
{
	struct sh_calc calc, *note;
	struct sh_cmd *c = s->cmd;

	*ret_is = c && shell_calc(s, &calc);
	if (!*ret_is || s->quiet)
		return true;
	if (!(note = shell_alloc(s, sizeof(*note))) || !shell_flow(s, SH_F_CALC, c))
		return false;
	*note = calc;
	s->last->note = note;
	if (s->posix || !(calc.reads | calc.sets))
		return true;
	if (!c->evaluates)
		c->evaluates = on_name;
	c->marks |= SH_EVALUATES;
	c->ncalcs++;
	return true;
}

bool shell_arith(struct shell *s, char close, bool *ret_closed)
{
	const char *from = s->p;
	unsigned parens = 0, brackets = 0;
	bool is;

	*ret_closed = true;
	if (close == ')') {
		if (!plain(s, &is))
			return false;
		if (is) {
			s->p += 2;
			return true;
		}
	}
	s->ret->calculates = true;
	for (;;) {
		char c = shell_at(s);

		if (!c) {
			if (!s->src.open)
				s->src.open = from;
			return shell_fail(s, from, "arithmetic is not closed");
		}
		if (c == '$' || c == '`') {
			if (!expansion(s))
				return false;
			continue;
		}
		if (shell_is(c, C_NAME)) {
			operand(s);
			continue;
		}
		if (close == '}' && (c == '<' || c == '>') && shell_peek(s) == '(') {
			/* bash looks for the '}' first, so to bash this is not a
			 * comparison */
			shell_fail(s, s->p, "a process substitution in ${...:...}");
			if (!shell_procsub(s))
				return false;
			continue;
		}
		if (c == close && c == ')' && !parens) {
			*ret_closed = shell_peek(s) == ')';
			if (*ret_closed) {
				shell_next(s);
				s->p++;
			}
			return true;
		}
		/* a '}' ends it at any depth */
		if (c == close && (c == '}' || (c == ']' && !brackets))) {
			s->p++;
			return true;
		}
		if (c == ';' && s->semicolons < 9)
			s->semicolons += parens ? 9 : 1;
		parens += c == '(';
		parens -= c == ')' && parens;
		brackets += c == '[';
		brackets -= c == ']' && brackets;
		if (!other(s))
			return false;
	}
}

bool shell_dparen(struct shell *s, bool *ret_is)
{
	const char *from = s->p, *inner;
	struct sh_cmd *c = shell_cmd(s, SH_ARITH, from);
	struct shell_word b;
	bool closed;

	*ret_is = false;
	if (!c)
		return false;
	s->cmd = c;
	shell_next(s);
	inner = s->p;
	s->p++;
	if (!shell_word_begin(s, &b, W_VALUE) || !shell_lit_byte(s, &b, '(', from) ||
	    !shell_lit_byte(s, &b, '(', from))
		return false;
	c->words = b.w;
	if (!shell_word_begin(s, &b, W_VALUE) || !shell_seg(s, &b, SH_MULTI, NULL, 0))
		return false;
	c->words->next = b.w;
	c->nwords = 2;
	closed = shell_arith(s, ')', &closed) && closed;
	if (shell_is_limit(s))
		return false;
	*ret_is = closed;
	if (s->src.line)
		c->to = shell_offset(s, s->p);
	if (closed)
		return shell_flow(s, SH_F_COMMAND, c);
	shell_fail(s, inner, "a '((' that is no arithmetic");
	s->src.open = NULL;
	s->p = from;
	return shell_again(s);
}

bool shell_subscript(struct shell *s, char *ret_only)
{
	const char *from = s->p;
	unsigned open = 0, n = 0;
	bool digits = true;

	*ret_only = 0;
	for (;; n++) {
		struct sh_cmd **inner = s->tail;
		char c = shell_at(s);

		digits = digits && (shell_is(c, C_DIGIT) || c == ']');
		if (c == ']' && !open--)
			break;
		if (!c) {
			if (!s->src.open)
				s->src.open = from;
			return shell_fail(s, from, "a '[' is not closed");
		}
		if (c == '$' || c == '`') {
			if (!expansion(s))
				return false;
			SHELL_DROP(s, inner, SUBSCRIPT);
		} else if (c == '\'') {
			if (!shell_single(s, NULL))
				return false;
		} else if (c == '"') {
			if (!shell_double(s, NULL))
				return false;
		} else {
			s->p += c == '\\' && s->p[1] ? 2 : 1;
			open += c == '[';
		}
	}
	if (n && digits)
		*ret_only = '0';
	else if (n == 1 && (s->p[-1] == '@' || s->p[-1] == '*'))
		*ret_only = s->p[-1];
	s->p++;
	return true;
}
