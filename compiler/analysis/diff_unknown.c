/*
 * Answers that differ only in what nobody asks are one answer, and what follows from
 * another answer is not tried otherwise: so the combinations stay few.
 */
#include "compiler/analysis/diff_unknown.h"

#include "compiler/analysis/diff_guard_key.h"
#include "compiler/eval/match_glob.h"
#include "compiler/sets/lang.h"

/* More combinations than these are not tried. */
#define MAX_COMBINATIONS 20000u

static const uint8_t option_answers[] = {
	0,
	DIFF_CAN,
	DIFF_CAN | DIFF_HELD,
	DIFF_CAN | DIFF_GIVEN,
	DIFF_CAN | DIFF_HELD | DIFF_GIVEN,
	DIFF_CAN | DIFF_HELD | DIFF_GIVEN | DIFF_SURE,
};
static const uint8_t other_answers[] = { 0, DIFF_MAY, DIFF_MAY | DIFF_MUST };

uint32_t diff_unknown_add(struct diff_unknowns *u, struct str key, bool option, uint8_t asked)
{
	struct diff_unknown x = { .key = key, .option = option, .asked = asked };
	size_t i;

	for (i = 0; i < u->v.n; i++)
		if (str_eq(u->v.v[i].key, key)) {
			u->v.v[i].asked |= asked;
			return (uint32_t)i;
		}
	buf_init(&x.use, u->a);
	VEC_PUSH(u->a, &u->v, x);
	return (uint32_t)u->v.n - 1;
}

void diff_unknown_name(struct diff_unknowns *u, uint32_t i, const struct ir_option *o, bool broad)
{
	VEC_PUSH(u->a, &u->v.v[i].names, *o);
	u->v.v[i].broad = broad;
}

void diff_unknown_use(struct diff_unknowns *u, uint32_t i, uint32_t condition, bool alone)
{
	buf_printf(&u->v.v[i].use, "%u ", condition);
	u->v.v[i].part |= !alone;
}

void diff_unknown_implies(struct diff_unknowns *u, uint32_t by, uint32_t what)
{
	struct diff_implied one = { by, what };

	VEC_PUSH(u->a, &u->implied, one);
}

void diff_unknown_apart(struct diff_unknowns *u, uint32_t only, uint32_t option)
{
	struct diff_apart one = { only, option };

	VEC_PUSH(u->a, &u->apart, one);
}

void diff_unknown_guard(struct diff_unknowns *u, uint32_t i, const struct ir_guard *g,
			bool narrow)
{
	u->v.v[i].guard = g;
	u->v.v[i].narrow = narrow;
}

bool diff_unknown_says(const struct diff_unknowns *u, uint32_t i, uint8_t bit)
{
	return u->v.v[i].answers[u->v.v[i].at] & bit;
}

/* --- what follows ----------------------------------------------------------------------- */

/* Is the option one of the letters of "-rf"? */
static bool is_letter_of(const struct ir_option *o, const struct ir_option *of)
{
	size_t i;

	if (o->value || of->value || !ir_glob_is_literal(&o->name) || o->name.n != 2 ||
	    !ir_glob_is_literal(&of->name) || of->name.n < 3 || o->name.v[0].byte != '-' ||
	    of->name.v[0].byte != '-' || of->name.v[1].byte == '-')
		return false;
	for (i = 1; i < of->name.n; i++)
		if (of->name.v[i].byte == o->name.v[1].byte)
			return true;
	return false;
}

static bool has_option(struct diff_unknowns *u, const struct ir_guard *g, const struct ir_option *o)
{
	struct str key = diff_option_key(u->a, o);
	size_t i;

	for (i = 0; i < g->noptions; i++)
		if (str_eq(key, diff_option_key(u->a, &g->options[i])) ||
		    (u->letters && g->kind == IR_GD_WITH_ONLY && is_letter_of(o, &g->options[i])))
			return true;
	return false;
}

/* Do the guard's paths contain all that the path matches, wherever the roots are? */
static bool has_path(struct diff_unknowns *u, const struct ir_guard *g, const struct ir_path *p)
{
	struct set_tagged *v = arena_array(u->a, g->npaths + 1, sizeof(*v));
	struct str word;
	size_t i, n = 0;

	for (i = 0; i < g->npaths; i++)
		if (g->paths[i].root == p->root)
			v[n++].re = set_from_path(u->a, &g->paths[i]);
	return set_included(u->a, set_from_path(u->a, p), NULL, v, n, SET_DEFAULT_BUDGET,
			    &word) == SET_HOLDS;
}

/* Does every line that satisfies `x` satisfy `y`, which names more? */
static bool implies(struct diff_unknowns *u, const struct ir_guard *x, const struct ir_guard *y)
{
	size_t i;

	if (x->kind != y->kind)
		return false;
	for (i = 0; i < x->noptions; i++)
		if (!has_option(u, y, &x->options[i]))
			return false;
	for (i = 0; i < x->npaths; i++)
		if (!has_path(u, y, &x->paths[i]))
			return false;
	return true;
}

static struct str literal(struct diff_unknowns *u, const struct ir_glob *g)
{
	struct buf b;
	size_t i;

	buf_init(&b, u->a);
	for (i = 0; i < g->n; i++)
		buf_u8(&b, g->v[i].byte);
	return buf_view(&b);
}

/* Does a pattern of `y`, with any value, match a name of `x`? */
static bool covers(struct diff_unknowns *u, const struct diff_unknown *x, const struct diff_unknown *y)
{
	size_t i, k;

	for (i = 0; i < x->names.n; i++)
		for (k = 0; k < y->names.n; k++) {
			const struct ir_option *p = &x->names.v[i], *q = &y->names.v[k];

			if (!q->value && ir_glob_is_literal(&p->name) &&
			    eval_match_glob(&q->name, literal(u, &p->name),
					    y->broad ? EVAL_B_ANY : EVAL_B_PLAIN, EVAL_U_END))
				return true;
		}
	return false;
}

static void find_implied(struct diff_unknowns *u)
{
	uint32_t i, k;

	for (i = 0; i < u->v.n; i++)
		for (k = 0; k < u->v.n; k++) {
			const struct diff_unknown *x = &u->v.v[i], *y = &u->v.v[k];

			if (i == k)
				continue;
			if ((x->guard && y->guard && x->narrow == y->narrow &&
			     implies(u, x->guard, y->guard)) ||
			    (x->option && y->option && covers(u, x, y)))
				diff_unknown_implies(u, i, k);
		}
}

bool diff_unknown_is_possible(const struct diff_unknowns *u)
{
	size_t i;

	for (i = 0; i < u->implied.n; i++) {
		const struct diff_unknown *x = &u->v.v[u->implied.v[i].by];
		const struct diff_unknown *y = &u->v.v[u->implied.v[i].what];
		uint8_t both = x->asked & y->asked;

		if (x->answers[x->at] & both & ~y->answers[y->at])
			return false;
	}
	for (i = 0; i < u->apart.n; i++) {
		const struct diff_unknown *x = &u->v.v[u->apart.v[i].only];
		const struct diff_unknown *y = &u->v.v[u->apart.v[i].option];
		uint8_t only = x->answers[x->at], has = y->answers[y->at];

		if ((only & DIFF_MUST && (x->narrow ? has : has & DIFF_SURE)) ||
		    (only & DIFF_MAY && has & DIFF_SURE))
			return false;
	}
	return true;
}

/* --- options that count as one -------------------------------------------------------------- */

static bool is_implied(const struct diff_unknowns *u, uint32_t i)
{
	size_t k;

	for (k = 0; k < u->implied.n; k++)
		if (u->implied.v[k].by == i || u->implied.v[k].what == i)
			return true;
	return false;
}

static bool is_apart(const struct diff_unknowns *u, uint32_t only, uint32_t option)
{
	size_t k;

	for (k = 0; k < u->apart.n; k++)
		if (u->apart.v[k].only == only && u->apart.v[k].option == option)
			return true;
	return false;
}

static bool are_apart_alike(const struct diff_unknowns *u, uint32_t i, uint32_t k)
{
	size_t x;

	for (x = 0; x < u->apart.n; x++)
		if ((u->apart.v[x].option == i && !is_apart(u, u->apart.v[x].only, k)) ||
		    (u->apart.v[x].option == k && !is_apart(u, u->apart.v[x].only, i)))
			return false;
	return true;
}

static bool can_merge(const struct diff_unknowns *u, uint32_t i)
{
	return u->v.v[i].option && !u->v.v[i].part && !is_implied(u, i);
}

/*
 * Conditions ask whether one of several options is there.  Where two options are named by the
 * same conditions, only their union counts, and that has the same answers as one option.  So
 * the first one stands for both, and the second one is never there.
 */
static void merge(struct diff_unknowns *u)
{
	uint32_t i, k;

	for (i = 0; i < u->v.n; i++)
		for (k = 0; can_merge(u, i) && k < i; k++) {
			if (u->v.v[k].merged || !can_merge(u, k) ||
			    !str_eq(buf_view(&u->v.v[i].use), buf_view(&u->v.v[k].use)) ||
			    !are_apart_alike(u, i, k))
				continue;
			u->v.v[k].asked |= u->v.v[i].asked;
			u->v.v[i].asked = 0;
			u->v.v[i].merged = true;
			break;
		}
}

/* --- combinations ------------------------------------------------------------------------ */

/* The answers that differ in what is asked. */
static void find_answers(struct diff_unknown *x)
{
	const uint8_t *from = x->option ? option_answers : other_answers;
	size_t n = x->option ? POL_LEN(option_answers) : POL_LEN(other_answers), i, k;

	for (i = 0; i < n; i++) {
		uint8_t y = from[i] & x->asked;

		for (k = 0; k < x->nanswers && x->answers[k] != y; k++)
			;
		if (k == x->nanswers)
			x->answers[x->nanswers++] = y;
	}
}

void diff_unknown_ready(struct diff_unknowns *u)
{
	size_t i;

	find_implied(u);
	merge(u);
	for (i = 0; i < u->v.n; i++)
		find_answers(&u->v.v[i]);
}

bool diff_unknown_next(struct diff_unknowns *u)
{
	size_t i;

	for (i = 0; i < u->v.n; i++) {
		struct diff_unknown *x = &u->v.v[i];

		if (++x->at < x->nanswers)
			return true;
		x->at = 0;
	}
	return false;
}

bool diff_unknown_are_few(const struct diff_unknowns *u)
{
	uint32_t n = 1;
	size_t i;

	for (i = 0; i < u->v.n; i++) {
		n *= u->v.v[i].nanswers;
		if (n > MAX_COMBINATIONS)
			return false;
	}
	return true;
}
