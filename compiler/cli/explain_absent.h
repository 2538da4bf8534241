/* What the view makes read-only although rules let it be written. */
#ifndef COMPILER_CLI_EXPLAIN_ABSENT_H
#define COMPILER_CLI_EXPLAIN_ABSENT_H

#include "compiler/cli/explain_answer.h"
#include "compiler/eval/decision.h"

/*
 * For an allowed write inside of the sandbox: if a name that some rule protects is absent
 * on this machine, or a rule protects names by a wildcard, a run makes the tree around it
 * read-only.  Then the answer's layer "mounts" says so, and no longer "exact".
 */
void explain_absent(struct explain_answer *ans, const struct ir *ir, const struct ir_request *req,
		    const struct eval_decision *e);

#endif
