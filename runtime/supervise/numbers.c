/* A set of numbers by open addressing.  The numbers are hashes already. */
#include "runtime/supervise/numbers.h"

#include <errno.h>
#include <stdlib.h>

#define FIRST 256

static size_t slot_of(const uint64_t *v, size_t cap, uint64_t k)
{
	size_t i = (size_t)k & (cap - 1);

	while (v[i] && v[i] != k)
		i = (i + 1) & (cap - 1);
	return i;
}

static int grow(struct numbers *s, size_t most)
{
	size_t cap = s->cap ? 2 * s->cap : FIRST;
	uint64_t *v = cap > most ? NULL : calloc(cap, sizeof(*v));

	if (!v)
		return -ENOMEM;
	for (size_t i = 0; i < s->cap; i++)
		if (s->v[i])
			v[slot_of(v, cap, s->v[i])] = s->v[i];
	free(s->v);
	s->v = v;
	s->cap = cap;
	return 0;
}

int numbers_add(struct numbers *s, uint64_t k, size_t most)
{
	int r = 0;

	if (numbers_has(s, k))
		return 0;
	if (2 * (s->n + 1) > s->cap)
		r = grow(s, most);
	if (r < 0)
		return r;
	s->v[slot_of(s->v, s->cap, k)] = k;
	s->n++;
	return 0;
}

bool numbers_has(const struct numbers *s, uint64_t k)
{
	return s->cap && k && s->v[slot_of(s->v, s->cap, k)] == k;
}

void numbers_release(struct numbers *s)
{
	free(s->v);
	*s = (struct numbers){ .n = 0 };
}
