/*
 * [[ … ]]: a command whose words are its operands and operators as written. Bash
 * evaluates the names in some operands a second time.
 */
#include "runtime/line/shell/parse.h"

struct cond {
	struct sh_cmd *c;
	struct sh_word **tail;
};

static bool add(struct cond *k, struct sh_word *w)
{
	*k->tail = w;
	k->tail = &w->next;
	k->c->nwords++;
	return true;
}

/* Reads n bytes at p as a literal word. */
static bool token(struct shell *s, struct cond *k, size_t n)
{
	struct sh_word *w = shell_word_new(s, s->p);

	if (!w)
		return false;
	w->seg.n = (uint32_t)n;
	s->p += n;
	if (s->src.line)
		w->to = w->from + (uint32_t)n;
	return add(k, w);
}

static bool is_close(struct shell *s)
{
	return shell_at(s) == ']' && s->p[1] == ']' && shell_is(s->p[2], C_META);
}

static bool word(struct shell *s, struct cond *k, unsigned mode, struct sh_word **ret)
{
	struct sh_word *w;

	if (!shell_starts_word(s) && !((mode & W_REGEX) && (*s->p == '(' || *s->p == '|')))
		return shell_fail(s, s->p, "an operand of [[ is missing");
	if (!shell_word(s, mode, &w, &w))
		return false;
	*ret = w;
	return add(k, w);
}

static bool plain(const struct sh_word *w, const char *const *list)
{
	if (!sh_is_literal(w) || (w->flags & SH_W_QUOTED))
		return false;
	for (; *list; list++)
		if (strlen(*list) == w->seg.n && memcmp(*list, w->seg.p, w->seg.n) == 0)
			return true;
	return false;
}

static const char *const arithmetic[] = { "-eq", "-ne", "-lt", "-le", "-gt", "-ge", NULL };
static const char *const of_files[] = { "-nt", "-ot", "-ef", NULL };
static const char *const of_patterns[] = { "=", "==", "!=", NULL };
static const char *const of_regex[] = { "=~", NULL };
static const char *const of_names[] = { "-v", "-R", NULL };

static bool is_unary(const struct sh_word *w)
{
	return sh_is_literal(w) && !(w->flags & SH_W_QUOTED) && w->seg.n == 2 &&
	       w->seg.p[0] == '-' && strchr("abcdefghknoprstuvwxzGLOSNR", w->seg.p[1]);
}

/* The operators of arithmetic evaluate every operand that is not a number. */
static bool is_number(const struct sh_word *w)
{
	uint32_t i;

	if (!sh_is_literal(w) || !w->seg.n)
		return false;
	for (i = w->seg.p[0] == '-' && w->seg.n > 1; i < w->seg.n; i++)
		if (!shell_is(w->seg.p[i], C_DIGIT))
			return false;
	return true;
}

static bool expression(struct shell *s, struct cond *k);

/* What follows the operand `left`. */
static bool binary(struct shell *s, struct cond *k, const struct sh_word *left)
{
	struct sh_word *op, *right;
	bool numbers;

	if (!shell_newlines(s))
		return false;
	if ((*s->p == '<' || *s->p == '>') && shell_peek(s) != '(') {
		if (SHELL_OFF(COND_ORDER) || !token(s, k, 1))
			return SHELL_OFF(COND_ORDER) && shell_fail(s, s->p, "switched off");
		shell_blanks(s);
		return word(s, k, W_PATTERN, &right);
	}
	if (*s->p == ')' || *s->p == '&' || *s->p == '|' || is_close(s))
		return true;
	if (!word(s, k, W_PLAIN, &op))
		return false;
	numbers = plain(op, arithmetic) && !SHELL_OFF(COND_NUMBERS);
	if (!numbers && !(plain(op, of_files) && !SHELL_OFF(COND_FILES)) &&
	    !(plain(op, of_patterns) && !SHELL_OFF(COND_MATCH)) && !plain(op, of_regex))
		return shell_fail(s, s->p, "[[ has no such operator");
	shell_blanks(s);
	if (!word(s, k,
		  plain(op, of_regex) && !SHELL_OFF(COND_REGEX) ? W_REGEX : W_PATTERN,
		  &right))
		return false;
	s->ret->calculates |= numbers;
	if (numbers && !(is_number(left) && is_number(right)))
		shell_evaluates(k->c, "[[ compares as arithmetic what is no number");
	return true;
}

static bool term(struct shell *s, struct cond *k)
{
	struct sh_word *w, *operand;
	bool ok;

	if (!shell_newlines(s))
		return false;
	if (*s->p == '(' && !SHELL_OFF(COND_GROUP)) {
		if (!shell_deeper(s) || !token(s, k, 1) || !expression(s, k))
			return false;
		s->depth--;
		if (*s->p != ')')
			return shell_fail(s, s->p, "a '(' of [[ is not closed");
		ok = token(s, k, 1);
	} else if (*s->p == '!' && shell_is(s->p[1], C_META) && !SHELL_OFF(COND_NOT)) {
		if (!shell_deeper(s) || !token(s, k, 1) || !term(s, k))
			return false;
		s->depth--;
		return true;
	} else {
		if (is_close(s))
			return shell_fail(s, s->p, "an operand of [[ is missing");
		ok = word(s, k, W_PATTERN, &w);
		shell_blanks(s);
		if (ok && is_unary(w) && shell_starts_word(s) && !is_close(s) &&
		    !SHELL_OFF(COND_UNARY)) {
			if (plain(w, of_names))
				shell_evaluates(k->c, "-v and -R evaluate a subscript of the name");
			ok = word(s, k, W_PATTERN, &operand);
		} else if (ok && is_unary(w)) {
			return shell_fail(s, s->p, "an operand of [[ is missing");
		} else if (ok) {
			ok = binary(s, k, w);
		}
	}
	return ok && shell_newlines(s);
}

static bool expression(struct shell *s, struct cond *k)
{
	for (;;) {
		if (!term(s, k))
			return false;
		if ((*s->p != '&' && *s->p != '|') || s->p[1] != s->p[0] ||
		    SHELL_OFF_AT(COND_AND, *s->p == '|'))
			return true;
		if (!token(s, k, 2))
			return false;
	}
}

bool shell_cond(struct shell *s)
{
	struct sh_cmd *c = shell_cmd(s, SH_COND, s->p - 2);
	struct cond k = { .c = c };
	bool ok;

	if (!c)
		return false;
	k.tail = &c->words;
	s->cmd = c;
	s->p -= 2;
	ok = token(s, &k, 2) && expression(s, &k);
	SHELL_DROP(s, &c->next, COND_WORDS);
	if (ok && !is_close(s))
		ok = shell_fail(s, s->p, "a '[[' is not closed");
	ok = ok && token(s, &k, 2);
	if (s->src.line)
		c->to = shell_offset(s, s->p);
	return ok && shell_flow(s, SH_F_COMMAND, c);
}
