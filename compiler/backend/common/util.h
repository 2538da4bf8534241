/* Helpers of the back ends that write binary members: adding members, naming rules. */
#ifndef COMPILER_BACKEND_COMMON_UTIL_H
#define COMPILER_BACKEND_COMMON_UTIL_H

#include "compiler/backend/common/backend.h"
#include "compiler/record/pool.h"
#include "runtime/bundle/format.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
	       "members are written as the structs of format.h");

/* Appends the member and fills in the size field of its header. */
void bk_add_member(struct bk_output *out, const char *path, struct buf *bytes);
void bk_add_feature(struct bk_output *out, const char *name);

/* Records of the rule table: first the rules, then the scalars, then the risk facts. */
static inline uint32_t bk_rule_of_scalar(const struct ir *ir, enum ir_scalar_id s)
{
	return (uint32_t)ir->rules.n + (uint32_t)s;
}

static inline uint32_t bk_rule_count(const struct ir *ir)
{
	return (uint32_t)(ir->rules.n + IR_SCALAR_COUNT + ir->risks.n);
}

/* "id (file:line)" if the members include the rule table, else "rule N". */
struct str bk_rule_label(const struct bk_output *in, uint32_t rule);

#endif
