/*
 * Steps 1 to 5 of semantics 3.1, applied to the rules that match; used by the files of
 * the reference evaluator.
 */
#ifndef COMPILER_EVAL_LEVELS_H
#define COMPILER_EVAL_LEVELS_H

#include "compiler/eval/decision.h"

/* The scalar that decides where no rule does. */
enum ir_scalar_id eval_otherwise_of(const struct ir *ir, const struct ir_request *req);
/*
 * The caller sets d->matched (in the order of ir.rules) and d->risk; this fills in the
 * rest.  With `otherwise` false, step 5 is left out: what no rule decides is allowed.
 */
void eval_by_levels(const struct ir *ir, const struct ir_request *req, bool otherwise,
		  struct eval_decision *d);
/* Step 5 alone. */
/* What becomes of a matching rule in steps 1, 2 and 4. */
enum eval_standing {
	EVAL_COUNTS,      /* it reaches step 3 */
	EVAL_BELOW_FINAL, /* step 1: a final rule of a higher level matches */
	EVAL_BELOW_LOCK,  /* step 1: an allow below the lock of its section */
	EVAL_LIFTED,      /* step 2: an allow lifts this default */
	EVAL_BASE_ALLOW   /* step 4: an allow of level 5 counts where no other rule is left */
};
/* *ret_by: the final rule, or the allow that lifts it; else NULL. */
enum eval_standing eval_standing(const struct ir *ir, const struct eval_decision *d,
				 const struct ir_rule *r, const struct ir_rule **ret_by);
/* Step 1: is this rule of d->matched taken? */
bool eval_is_taken(const struct ir *ir, const struct eval_decision *d,
		   const struct ir_rule *r);
void eval_by_otherwise(const struct ir *ir, const struct ir_request *req,
		     struct eval_decision *d);
/* Semantics 4.1: what an unparsed line gets. */
void eval_by_opaque(const struct ir *ir, enum ir_scope scope, struct eval_decision *d);
/* Is it the run's own loopback: an address of it, "localhost", or a name below that? */
bool eval_is_own_loopback(const struct ir_request *req);

#endif
