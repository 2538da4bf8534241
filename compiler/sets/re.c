/*
 * Expressions over bytes.  The constructors simplify empty parts away, so that every
 * position of an expression lies on a way to a member (inclusion.c and minimise.c rely
 * on it).
 */
#include "compiler/sets/automaton.h"

static struct set_re *node(struct arena *a, enum set_re_op op, struct set_re *x,
			   struct set_re *y)
{
	struct set_re *r = ARENA_NEW(a, struct set_re);

	r->op = op;
	r->a = x;
	r->b = y;
	return r;
}

struct set_re *set_none(struct arena *a)
{
	return node(a, SET_EMPTY, NULL, NULL);
}

struct set_re *set_eps(struct arena *a)
{
	return node(a, SET_EPS, NULL, NULL);
}

struct set_re *set_class(struct arena *a, struct set_bytes b)
{
	struct set_re *r;

	if (!set_bytes_any(&b))
		return set_none(a);
	r = node(a, SET_CLASS, NULL, NULL);
	r->bytes = b;
	return r;
}

struct set_re *set_byte(struct arena *a, uint8_t c)
{
	struct set_bytes b = { { 0, 0, 0, 0 } };

	set_bytes_add(&b, c, c);
	return set_class(a, b);
}

/* Built by halving, so that the depth of a long literal stays logarithmic. */
struct set_re *set_lit(struct arena *a, struct str s)
{
	size_t half = s.n / 2;

	if (s.n == 0)
		return set_eps(a);
	if (s.n == 1)
		return set_byte(a, (uint8_t)s.p[0]);
	return set_cat(a, set_lit(a, str_sub(s, 0, half)),
		       set_lit(a, str_sub(s, half, s.n - half)));
}

struct set_re *set_cat(struct arena *a, struct set_re *x, struct set_re *y)
{
	if (x->op == SET_EMPTY || y->op == SET_EPS)
		return x;
	if (y->op == SET_EMPTY || x->op == SET_EPS)
		return y;
	return node(a, SET_CAT, x, y);
}

struct set_re *set_or(struct arena *a, struct set_re *x, struct set_re *y)
{
	if (x->op == SET_EMPTY)
		return y;
	if (y->op == SET_EMPTY)
		return x;
	if (x->op == SET_EPS && y->op == SET_EPS)
		return x;
	return node(a, SET_OR, x, y);
}

struct set_re *set_star(struct arena *a, struct set_re *x)
{
	if (x->op == SET_EMPTY || x->op == SET_EPS)
		return set_eps(a);
	return x->op == SET_STAR ? x : node(a, SET_STAR, x, NULL);
}

struct set_re *set_cat_all(struct arena *a, struct set_re *const *v, size_t n)
{
	if (n < 2)
		return n ? v[0] : set_eps(a);
	return set_cat(a, set_cat_all(a, v, n / 2),
		       set_cat_all(a, v + n / 2, n - n / 2));
}

struct set_re *set_or_all(struct arena *a, struct set_re *const *v, size_t n)
{
	if (n < 2)
		return n ? v[0] : set_none(a);
	return set_or(a, set_or_all(a, v, n / 2), set_or_all(a, v + n / 2, n - n / 2));
}
