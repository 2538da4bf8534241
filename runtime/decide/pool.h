/* Memory from a block of the caller. Internal to decide/. */
#ifndef RUNTIME_DECIDE_POOL_H
#define RUNTIME_DECIDE_POOL_H

#include <stddef.h>

#include "runtime/decide/bits.h"

/* It is released by going back to a mark, which is a copy of the struct. */
struct pool {
	uint8_t *p;
	size_t left;
};

/* 8-byte aligned, not cleared; NULL: no room. */
void *pool_take(struct pool *p, size_t count, size_t size);
/* An empty set of numbers below `count`; false: no room. */
bool pool_bits(struct pool *p, uint32_t count, struct bits *ret);

#endif
