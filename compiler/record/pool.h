/* The texts at the end of a bundle's member; each text is stored once. */
#ifndef COMPILER_RECORD_POOL_H
#define COMPILER_RECORD_POOL_H

#include "compiler/base/buf.h"
#include "compiler/base/map.h"
#include "runtime/base/record.h"

struct rec_pool {
	struct buf bytes;
	struct map seen;
	uint32_t base; /* offset of the pool in the member */
};

void rec_pool_init(struct rec_pool *p, struct arena *a, size_t base);
struct pb_str rec_pool_add(struct rec_pool *p, struct str s);

#endif
