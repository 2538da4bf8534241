/*
 * The reference evaluator: defines what a decision means, in the plainest possible code
 * (doc/semantics.md, steps of 3.1).  It matches patterns by backtracking and evaluates
 * conditions by arithmetic.  It shares no code with sets/, the back ends or the
 * runtime; everything compiled is tested against it.
 */
#ifndef COMPILER_EVAL_EVAL_H
#define COMPILER_EVAL_EVAL_H

#include "compiler/eval/decision.h"

/* Never fails: a request that cannot be decided is denied. */
void eval_decide(const struct ir *ir, const struct ir_request *req, struct arena *a,
	     struct eval_decision *ret);

#endif
