/* What the back ends of binary members share: string pools, names of rules. */
#ifndef COMPILER_BACKEND_UTIL_H
#define COMPILER_BACKEND_UTIL_H

#include "compiler/backend/backend.h"
#include "compiler/base/map.h"
#include "runtime/bundle/format.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
	       "members are written as the structs of format.h");

/* Strings at the end of a member, each once. */
struct bk_pool {
	struct buf bytes;
	struct map seen;
	uint32_t base; /* offset of the pool in the member */
};

void bk_pool_init(struct bk_pool *p, struct arena *a, size_t base);
struct pb_str bk_pool_add(struct bk_pool *p, struct str s);

/* Appends the member; its header's size field is filled in. */
void bk_add_member(struct bk_output *out, const char *path, struct buf *bytes);
void bk_add_feature(struct bk_output *out, const char *name);

/* Records of the rule table: the rules, then the scalars, then the risk facts. */
static inline uint32_t bk_rule_of_scalar(const struct ir *ir, enum ir_scalar_id s)
{
	return (uint32_t)ir->rules.n + (uint32_t)s;
}

static inline uint32_t bk_rule_count(const struct ir *ir)
{
	return (uint32_t)(ir->rules.n + IR_SCALAR_COUNT + ir->risks.n);
}

/* "id (file:line)" by the rule table among the members, else "rule N". */
struct str bk_rule_label(const struct bk_output *in, uint32_t rule);

#endif
