/*
 * Turns groups of languages into automata, and compares automata with languages.  A
 * group that needs too many states is split into several automata, and a decision
 * asks all of them, so nothing is left out.
 */
#include <stdlib.h>

#include "compiler/backend/matcher/internal.h"

/* States that one automaton may have beyond those that its patterns spell out. */
#define SPARE_STATES 2048
#define SHARED_STATES 60000
/*
 * The most command rules in one automaton.  A deny of a command holds in any
 * directory, so each rule may begin again at every '/'.  With k rules a state then has
 * k positions or more, and the automaton costs k * k.  Split up, the cost is linear.
 */
#define COMMANDS 128
#define FLOATING 5 /* patterns in one automaton of which each doubles the states */
#define VERIFY_BUDGET ((size_t)1 << 20)

_Static_assert(MATCHER_SINGLE_STATES < PB_MAX_STATES, "a move names any state");

static size_t positions(const struct set_re *re)
{
	if (!re)
		return 0;
	if (re->op == SET_GRAPH)
		return re->graph->n;
	return (re->op == SET_CLASS) + positions(re->a) + positions(re->b);
}

static bool build(struct matcher_builts *to, const struct matcher_group *g, size_t from,
		  size_t n, uint32_t *ret_tag)
{
	const struct set_tagged *langs = g->langs.v + from;
	struct matcher_built b = { .key = g->key };
	size_t i, budget = SPARE_STATES;

	for (i = 0; i < n; i++)
		budget += 3 * (positions(langs[i].re) + positions(langs[i].minus));
	if (budget > SHARED_STATES)
		budget = SHARED_STATES;
	if (n == 1)
		budget = MATCHER_SINGLE_STATES;
	if (set_dfa_build(to->a, langs, n, budget, &b.dfa) == SET_HOLDS) {
		VEC_PUSH(to->a, &to->v, b);
		return true;
	}
	if (n > 1)
		return build(to, g, from, n / 2, ret_tag) &&
		       build(to, g, from + n / 2, n - n / 2, ret_tag);
	*ret_tag = langs[0].tag;
	return false;
}

static size_t at_most(const struct matcher_group *g, size_t i)
{
	size_t left = i < g->nanchored ? g->nanchored - i : g->langs.n - i, max = left;

	if (i >= g->nanchored)
		max = g->needles.n ? 1 : FLOATING;
	else if (!g->together && g->key.kind == PB_COMMAND)
		max = COMMANDS;
	return left < max ? left : max;
}

bool matcher_build(struct matcher_builts *to, const struct matcher_group *g,
		   uint32_t *ret_tag)
{
	size_t i, n;

	for (i = 0; i < g->langs.n; i += n) {
		n = at_most(g, i);
		if (!build(to, g, i, n, ret_tag))
			return false;
	}
	return true;
}

size_t matcher_size(const struct matcher_builts *b)
{
	size_t i, n = 0;

	for (i = 0; i < b->v.n; i++) {
		const struct set_dfa *d = &b->v.v[i].dfa;

		n += sizeof(struct pb_automaton) + 256 + 64 + 4 * d->ntags +
		     4 * (size_t)d->nstates * (d->nclasses + 4);
	}
	return n;
}

/* --- back ------------------------------------------------------------------------- */

static int by_number(const void *x, const void *y)
{
	uint32_t p = *(const uint32_t *)x, q = *(const uint32_t *)y;

	return (p > q) - (p < q);
}

size_t matcher_carried(struct arena *a, const struct set_dfa *d, uint32_t **ret)
{
	uint32_t *v = arena_array(a, d->ntags + 1, sizeof(*v));
	size_t i, n = 0;

	if (d->ntags)
		memcpy(v, d->tags, d->ntags * sizeof(*v));
	qsort(v, d->ntags, sizeof(*v), by_number);
	for (i = 0; i < d->ntags; i++)
		if (!n || v[n - 1] != v[i])
			v[n++] = v[i];
	*ret = v;
	return n;
}

const char *matcher_differs(const struct matcher_group *g, const struct set_dfa *d,
			    uint32_t index, bool *done, struct arena *a)
{
	VEC(struct set_tagged) langs = { NULL, 0, 0 };
	struct str at = STR_NULL;
	uint32_t *in;
	size_t i, n = matcher_carried(a, d, &in);

	for (i = 0; i < g->langs.n; i++) {
		if (!bsearch(&g->langs.v[i].tag, in, n, sizeof(*in), by_number))
			continue;
		VEC_PUSH(a, &langs, g->langs.v[i]);
		done[i] = true;
	}
	switch (set_dfa_equals(a, d, langs.v, langs.n, VERIFY_BUDGET, &at)) {
	case SET_HOLDS:
		return NULL;
	case SET_WITNESS:
		return arena_printf(a,
				    PB_MATCHER ": automaton %u differs from its rules "
					       "at '%.*s'",
				    index, STR_ARG(at));
	case SET_UNDECIDED:
		break;
	}
	return arena_printf(a, PB_MATCHER ": automaton %u is too large to be proved",
			    index);
}
