/* Takes memory from a block of the caller, from its beginning on. */
#include "runtime/decide/pool.h"

void *pool_take(struct pool *p, size_t count, size_t size)
{
	size_t n;
	void *r = p->p;

	if (__builtin_mul_overflow(count, size, &n) || n > p->left)
		return NULL;
	n = (n + 7) & ~(size_t)7;
	if (n > p->left)
		return NULL;
	p->p += n;
	p->left -= n;
	return r;
}

bool pool_bits(struct pool *p, uint32_t count, struct bits *ret)
{
	uint64_t *mem = pool_take(p, BITS_WORDS(count), sizeof(*mem));

	if (mem)
		bits_make(ret, mem, count);
	return mem != NULL;
}
