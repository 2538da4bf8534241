/* The assertions of the policy that are about the request of `polc explain`. */
#ifndef COMPILER_CLI_EXPLAIN_ASSERTION_H
#define COMPILER_CLI_EXPLAIN_ASSERTION_H

#include "compiler/cli/explain_answer.h"
#include "compiler/eval/decision.h"

/*
 * Fills in `asserts` and `assertions`, in the order of the policy, where *d is the decision
 * about the request.  Only assertions of the request's own kind are asked: one about files
 * is not about the files that a command line names.
 */
void explain_assertions(struct explain_answer *ans, const struct ir *ir,
			const struct ir_request *req, const struct eval_decision *d);

/* Prints nothing if the policy has no assertions. */
void explain_assertions_text(FILE *out, const struct explain_answer *e);
/* Writes the member "assertions" if the policy has some. */
void explain_assertions_json(struct json *j, const struct explain_answer *e);

#endif
