/* The evaluator's decision about a line, in the form that `polc explain` prints. */
#ifndef COMPILER_CLI_EXPLAIN_EVAL_H
#define COMPILER_CLI_EXPLAIN_EVAL_H

#include "compiler/cli/explain_answer.h"
#include "compiler/eval/line.h"

struct explain_rule explain_of_rule(const struct ir_rule *r);
struct explain_rule explain_of_scalar(const struct ir_scalar *s, enum ir_effect e);

/* The step of semantics 3.1 in words; steps that need it use `level`, `risk` or
 * `unparsed`. */
struct str explain_step(struct arena *a, enum eval_step s, const char *level,
			const char *risk, const char *unparsed);

/* Fills in line and parts, and `step` by the part that decided about the line. */
void explain_eval_line(struct explain_answer *ans, const struct ir *ir,
		       const struct eval_decision *d);

#endif
