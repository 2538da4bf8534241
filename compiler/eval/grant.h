/*
 * What the gateway does with a connection that the policy lets through (doc/language.md,
 * "What the gateway does").  Part of the reference evaluator.
 */
#ifndef COMPILER_EVAL_GRANT_H
#define COMPILER_EVAL_GRANT_H

#include "compiler/eval/decision.h"

struct eval_grant {
	struct ir_grant more; /* of each option the first that a rule says; `via none`: no proxy */
	const struct ir_rule *bytes_by, *connections_by; /* whose limits these are; NULL: none */
	const struct num_cidr **within; /* where the name may lie although the guard refuses it
	                                   (guard_is_named()) */
	size_t nwithin;
	const struct num_cidr **blocks; /* which hold the address that the request names */
	size_t nblocks;
	bool named; /* one of them names it: no guard refuses it */
};

/*
 * `d` is the decision about the request.  Rules count that let it pass and are taken (3.1); one
 * that can only ask says nothing.  Empty if the request is denied.
 */
void eval_grant(const struct ir *ir, const struct ir_request *req,
		const struct eval_decision *d, struct arena *a, struct eval_grant *ret);
/* Semantics 6: does the guard refuse the address that the request names, which rules let pass? */
bool eval_is_guarded(const struct ir *ir, const struct ir_request *req,
		     const struct eval_decision *d, struct arena *a);
/* In the words of the language; empty where no rule says anything. */
struct str eval_grant_words(struct arena *a, const struct eval_grant *g);

#endif
