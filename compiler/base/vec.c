/* The growth of typed vectors: in place if the arena can, else in twice the memory. */
#include "compiler/base/vec.h"

#include <string.h>

void *vec_grow(struct arena *a, void *old, size_t *cap, size_t size)
{
	size_t had = *cap, n = had ? had * 2 : 8;
	void *p;

	*cap = n;
	if (had && n <= SIZE_MAX / size && arena_extend(a, old, had * size, n * size))
		return old;
	p = arena_array(a, n, size);
	if (had)
		memcpy(p, old, had * size);
	return p;
}
