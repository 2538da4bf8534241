/* What a wildcard takes away of reading and executing, in words.  Internal to the back end. */
#ifndef COMPILER_BACKEND_MOUNTS_CHECK_WILD_H
#define COMPILER_BACKEND_MOUNTS_CHECK_WILD_H

#include "compiler/backend/common/backend.h"
#include "compiler/backend/mounts/places.h"

struct mounts_ctx {
	const struct ir *ir;
	struct bk_report *report;
	struct diag_sink *sink;
	const struct mounts_places *at; /* places of each file rule, by index */
	bool has_scratch;
	bool anywhere; /* the whole host is readable */
};

static inline bool mounts_in_sandbox(const struct ir_rule *r, enum ir_kind kind)
{
	return r->kind == kind && (r->scopes & IR_SANDBOX);
}

/* Is there an exec rule at, above or below this place? */
bool mounts_has_exec(const struct mounts_ctx *c, enum ir_root root, struct str at);
/* A set with a wildcard, the rule's own or one of its exceptions, takes reading or executing
 * away. */
void mounts_check_wild(const struct mounts_ctx *c, const struct ir_rule *r,
		       const struct ir_set *set);

#endif
