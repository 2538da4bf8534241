/*
 * Decides a request that is no command: one path, address, system call or tool, by
 * the rules of its kind.  Part of the reference evaluator.
 */
#ifndef COMPILER_EVAL_REQUEST_H
#define COMPILER_EVAL_REQUEST_H

#include "compiler/eval/decision.h"

/* For every kind but IR_COMMAND.  What cannot be decided is denied. */
void eval_decide_request(const struct ir *ir, const struct ir_request *asked,
			 struct arena *a, struct eval_decision *ret);

/*
 * Semantics 5: decides a file that a line names.  If req->places is set, the path may have ".." in
 * it, and the evaluator decides about each name of the file: the decision about its physical path
 * counts, unless a rule about another name is stricter.  With `only_rules` the answer is allow,
 * without a rule, if no rule decides about any name.
 */
void eval_decide_names(const struct ir *ir, const struct ir_request *asked, bool only_rules,
		       struct arena *a, struct eval_decision *ret);

/*
 * Semantics 5: rewrites a path below a mount's place to the same path below the mount's
 * tree.  False where the tree's root is unknown in this request: there is no such file.
 */
bool eval_own_name(const struct ir *ir, struct ir_request *req, struct arena *a);
/* Does this one rule match (its set, scopes and exceptions)?  Not for commands, which
 * match in two ways: see eval_rule_on_part(). */
bool eval_rule_matches(const struct ir_rule *rule, const struct ir_request *req);

#endif
