/* The evaluator's decision about a line, in the form that `polc explain` prints. */
#ifndef COMPILER_CLI_EXPLAIN_EVAL_H
#define COMPILER_CLI_EXPLAIN_EVAL_H

#include "compiler/cli/explain_answer.h"
#include "compiler/eval/line.h"

struct explain_rule explain_of_rule(const struct ir_rule *r);
/* `network otherwise` that nobody wrote is named by the line that chose the mode. */
struct explain_rule explain_of_scalar(const struct ir *ir, enum ir_scalar_id id,
				      enum ir_effect e);

/*
 * A rule of d->matched, where *d is the decision about a request or a simple command, with
 * what keeps it from counting.
 */
struct explain_rule explain_of_match(struct arena *a, const struct ir *ir,
				     const struct eval_decision *d, const struct ir_rule *r);
/* The rules that match, each statement once, in the order of semantics 3.1. */
void explain_eval_matched(struct explain_answer *ans, const struct ir *ir,
			  const struct eval_decision *d);
/*
 * Fills in `without`: the policy is asked once more, without the statement or the value
 * that decided.
 */
void explain_eval_without(struct explain_answer *ans, const struct ir *ir,
			  const struct ir_request *req, const struct eval_decision *d);

/* The step of semantics 3.1 in words; steps that need it use `level`, `risk` or
 * `unparsed`. */
struct str explain_step(struct arena *a, enum eval_step s, const char *level,
			const char *risk, const char *unparsed);

/* Fills in line and parts, and `step` by the part that decided about the line. */
void explain_eval_line(struct explain_answer *ans, const struct ir *ir,
		       const struct eval_decision *d);

#endif
