/*
 * What the rules say about an address to which a name has led that the policy lets through
 * (doc/network.md).  Part of the reference evaluator.
 */
#ifndef COMPILER_EVAL_REACHED_H
#define COMPILER_EVAL_REACHED_H

#include "compiler/eval/decision.h"

/*
 * The rule as it counts there, or NULL: it has no part in it.  A rule that denies or asks about
 * all hosts was heard about the name, with its exceptions.  An ask that only asks about what
 * is allowed asks: the name is.
 */
struct ir_rule *eval_reached_rule(struct ir_rule *r, struct arena *a);
/*
 * The decision on an address from these rules.  `req` is a request of tcp to the address.  Where
 * no rule decides, none objects, whatever `otherwise` says.
 */
void eval_reached(const struct ir *ir, const struct ir_request *req, struct arena *a,
		  struct eval_decision *ret);

/*
 * Does the guard keep every name from leading to the address, whatever else is decided?  Only a rule
 * that names the range lifts it (semantics 6).
 */
bool eval_reached_is_guarded(const struct ir *ir, const struct ir_request *req);

#endif
