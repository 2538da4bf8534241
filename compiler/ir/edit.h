/* A policy with other rules than its own, for questions of the form "what if". */
#ifndef COMPILER_IR_EDIT_H
#define COMPILER_IR_EDIT_H

#include "compiler/ir/ir.h"

/*
 * *ret is the policy with these rules in place of its own, which are copied and numbered
 * in this order.  Rules of `ir` keep what lifts them, and mounts their trees, as far as the
 * rules are still there; a mount whose rule is gone is gone.  What new rules lift, the pass
 * "lift" has to find.  Everything else is shared with `ir`, tests and examples are left out.
 */
void ir_with_rules(const struct ir *ir, struct ir_rule *const *v, size_t n, struct arena *a,
		   struct ir *ret);

#endif
