/*
 * Few of an automaton's states differ in their tags: each set of tags is kept
 * once and a state has its number.
 */
#include "compiler/backend/matcher/internal.h"

struct pool {
	struct arena *a;
	VEC(uint32_t) at, tags;
	uint32_t *slots; /* set + 1 */
	size_t nslots;
};

static size_t hash_of(const uint32_t *v, uint32_t n)
{
	uint64_t h = n;
	uint32_t i;

	for (i = 0; i < n; i++)
		h = (h ^ v[i]) * 0x9e3779b97f4a7c15u, h ^= h >> 29;
	return (size_t)h;
}

static uint32_t intern(struct pool *p, const uint32_t *v, uint32_t n)
{
	size_t k = hash_of(v, n) & (p->nslots - 1);
	uint32_t i;

	for (; p->slots[k]; k = (k + 1) & (p->nslots - 1)) {
		uint32_t set = p->slots[k] - 1, from = p->at.v[set];

		if (p->at.v[set + 1] - from == n &&
		    (n == 0 || memcmp(p->tags.v + from, v, n * sizeof(*v)) == 0))
			return set;
	}
	for (i = 0; i < n; i++)
		VEC_PUSH(p->a, &p->tags, v[i]);
	VEC_PUSH(p->a, &p->at, (uint32_t)p->tags.n);
	p->slots[k] = (uint32_t)p->at.n - 1;
	return p->slots[k] - 1;
}

void tag_sets_make(struct arena *a, const struct set_dfa *d, struct tag_sets *ret)
{
	struct pool p = { .a = a, .nslots = 16 };
	uint32_t *of = arena_array(a, d->nstates, sizeof(*of)), s;

	while (p.nslots < (size_t)2 * d->nstates)
		p.nslots *= 2;
	p.slots = arena_array(a, p.nslots, sizeof(*p.slots));
	VEC_PUSH(a, &p.at, 0);
	(void)intern(&p, NULL, 0);
	for (s = 0; s < d->nstates; s++)
		of[s] = intern(&p, d->tags + d->tag_at[s],
			       d->tag_at[s + 1] - d->tag_at[s]);
	*ret = (struct tag_sets){ (uint32_t)p.at.n - 1, p.at.v, p.tags.v, of };
}
