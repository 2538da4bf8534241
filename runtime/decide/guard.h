/* The guards of clauses. Internal to decide/. */
#ifndef RUNTIME_DECIDE_GUARD_H
#define RUNTIME_DECIDE_GUARD_H

#include "runtime/decide/line_ctx.h"

struct guard_says { bool may, must; };

/* What all guards of the clause together say about the part. */
struct guard_says guard_all(struct line_ctx *l, const struct cmd_part *p,
			    const struct pb_clause *c);

#endif
