/*
 * Arithmetic so plain that it cannot fail if its variables are numbers: sums, products,
 * comparisons, assignments. Such an expression runs no code, and var.h can follow what
 * it sets. Anything else is left to arith.c.
 */
#include "runtime/line/shell/parse.h"

struct calc {
	struct shell *s;
	const char *p;
	struct sh_calc *ret;
	uint32_t depth;
};

static bool expression(struct calc *k);

static void blanks(struct calc *k)
{
	while (*k->p == ' ' || *k->p == '\t')
		k->p++;
}

/* 0, or digits that do not begin with one. */
static bool number(struct calc *k)
{
	const char *from = k->p;

	while (shell_is(*k->p, C_DIGIT))
		k->p++;
	return k->p > from && k->p - from <= 18 && (*from != '0' || k->p == from + 1) &&
	       !shell_is(*k->p, C_NAME) && !strchr("#.$@", *k->p ? *k->p : '.');
}

/* A name at p; *ret is its bit. */
static bool name(struct calc *k, uint64_t *ret)
{
	const char *from = k->p;
	uint32_t var;

	while (shell_is(*k->p, C_NAME))
		k->p++;
	if (!sh_is_name(from, (size_t)(k->p - from)) ||
	    strchr("[#.$@\\", *k->p ? *k->p : '.'))
		return false;
	var = shell_var(k->s, from, (size_t)(k->p - from));
	*ret = var ? 1ULL << (var - 1) : 0;
	return var;
}

/* $NAME or ${NAME}: its text is put there, so what touches it must not join it. */
static bool expanded(struct calc *k)
{
	bool braces = k->p[1] == '{';
	uint64_t bit;

	if (strchr("+-", k->p[-1]))
		return false;
	k->p += braces ? 2 : 1;
	if (!name(k, &bit) || (braces && *k->p++ != '}'))
		return false;
	k->ret->reads |= bit;
	return !shell_is(*k->p, C_NAME) && !strchr("#.$@[\\{", *k->p ? *k->p : '.') &&
	       !((k->p[0] == '+' || k->p[0] == '-') && k->p[1] == k->p[0]);
}

static bool is_step(const char *p)
{
	return (p[0] == '+' || p[0] == '-') && p[1] == p[0];
}

/* NAME, NAME++. */
static bool variable(struct calc *k)
{
	uint64_t bit;

	if (!name(k, &bit))
		return false;
	k->ret->reads |= bit;
	if (is_step(k->p)) {
		k->ret->sets |= bit;
		k->p += 2;
	}
	return true;
}

static bool operand(struct calc *k)
{
	uint64_t bit;
	bool ok;

	blanks(k);
	if (is_step(k->p)) {
		k->p += 2;
		if (!name(k, &bit) || is_step(k->p))
			return false;
		k->ret->reads |= bit;
		k->ret->sets |= bit;
		return true;
	}
	if (*k->p == '-' || *k->p == '+' || *k->p == '~' ||
	    (*k->p == '!' && k->p[1] != '=')) {
		k->p++;
		return k->depth++ < 20 && operand(k);
	}
	if (*k->p == '(') {
		k->p++;
		ok = k->depth++ < 20 && expression(k);
		return ok && *k->p++ == ')';
	}
	if (*k->p == '$')
		return expanded(k);
	return shell_is(*k->p, C_DIGIT) ? number(k) : variable(k);
}

/* An operator between two operands; *ret_divides if the right one must not be 0. */
static bool operator(struct calc *k, bool *ret_divides)
{
	static const char *const two[] = { "<=", ">=", "==", "!=",
					   "&&", "||", "<<", ">>" };
	char c = *k->p;

	*ret_divides = c == '/' || c == '%';
	for (size_t i = 0; i < sizeof(two) / sizeof(two[0]); i++)
		if (k->p[0] == two[i][0] && k->p[1] == two[i][1]) {
			k->p += 2;
			return *k->p != '=';
		}
	if (!c || !strchr("+-*/%<>&|^", c) || k->p[1] == '=' || k->p[1] == c)
		return false;
	k->p++;
	return true;
}

static bool is_end(const struct calc *k)
{
	return *k->p == ')';
}

/* NAME = …, NAME += …; the `=` is looked for behind the name at p. */
static bool assignment(struct calc *k, bool *ret_is)
{
	const char *from = k->p, *p = from;
	uint64_t bit;

	while (shell_is(*p, C_NAME))
		p++;
	while (*p == ' ' || *p == '\t')
		p++;
	*ret_is = p > from && ((p[0] == '=' && p[1] != '=') ||
			       (p[0] && strchr("+-*", p[0]) && p[1] == '='));
	if (!*ret_is)
		return true;
	if (!name(k, &bit))
		return false;
	k->ret->sets |= bit;
	if (*p != '=')
		k->ret->reads |= bit;
	k->p = p + (*p == '=' ? 1 : 2);
	return k->depth++ < 20 && expression(k);
}

static bool expression(struct calc *k)
{
	bool divides, is;

	blanks(k);
	if (!assignment(k, &is))
		return false;
	if (is)
		return true;
	if (!operand(k))
		return false;
	for (blanks(k); !is_end(k); blanks(k)) {
		if (!operator(k, &divides))
			return false;
		blanks(k);
		if (divides ? *k->p < '1' || *k->p > '9' || !number(k) : !operand(k))
			return false;
	}
	return true;
}

bool shell_calc(struct shell *s, struct sh_calc *ret)
{
	struct calc k = { .s = s, .p = s->p, .ret = ret };

	ret->reads = ret->sets = 0;
	if (!expression(&k) || k.p[0] != ')' || k.p[1] != ')')
		return false;
	s->p = k.p;
	return true;
}
