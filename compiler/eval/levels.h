/*
 * Steps 1 to 5 of semantics 3.1, applied to the rules that match; used by the files of
 * the reference evaluator.
 */
#ifndef COMPILER_EVAL_LEVELS_H
#define COMPILER_EVAL_LEVELS_H

#include "compiler/eval/decision.h"

/* The scalar that decides where no rule does. */
enum ir_scalar_id eval_otherwise_of(const struct ir_request *req);
/*
 * The caller sets d->matched (in the order of ir.rules) and d->risk; this fills in the
 * rest.  With `otherwise` false, step 5 is left out: what no rule decides is allowed.
 */
void eval_by_levels(const struct ir *ir, const struct ir_request *req, bool otherwise,
		  struct eval_decision *d);
/* Step 5 alone. */
void eval_by_otherwise(const struct ir *ir, const struct ir_request *req,
		     struct eval_decision *d);
/* Semantics 4.1: what an unparsed line gets. */
void eval_by_opaque(const struct ir *ir, struct eval_decision *d);
/* Is it the run's own loopback: an address of it, "localhost", or a name below that? */
bool eval_is_own_loopback(const struct ir_request *req);

#endif
