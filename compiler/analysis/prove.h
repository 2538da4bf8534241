/*
 * Proves an assertion over all requests (doc/polc.md, "Assertions").  "Every request of
 * SET gets EFFECT or a stricter one" holds exactly when a managed rule `EFFECT SET`
 * changes nothing: where the rule matches, the answer is the stricter of it and of what
 * was answered before.  So the policy is compared with itself and this rule.
 */
#ifndef COMPILER_ANALYSIS_PROVE_H
#define COMPILER_ANALYSIS_PROVE_H

#include "compiler/analysis/diff_result.h"

enum prove_answer { PROVE_UNDECIDED, PROVE_PROVED, PROVE_REFUTED };

/*
 * The policy must be lifted; the assertion may be that of another policy.  Each finding
 * of *ret is a request of the set that gets less: side[0] is what the policy says, side[1]
 * the assertion.  Only if nothing differs and nothing is in doubt the answer is
 * PROVE_PROVED.  What is proved of paths holds wherever the roots lie, except as
 * ret->elsewhere shows: each is a request that is against it with roots at other places.
 */
enum prove_answer prove(const struct ir *ir, const struct ir_assertion *s,
			const struct diff_where *where, struct arena *a,
			struct diff_result *ret);

/*
 * Adds to the copy *ir of a policy the rules that enforce the assertion, behind the others:
 * a request is in the set of the assertion if one of them matches it.
 */
void prove_add_rules(struct ir *ir, const struct ir_assertion *s, struct arena *a);

#endif
