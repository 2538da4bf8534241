/*
 * What the questions of the catalogue share: who asks where, and what an answer is.
 * Internal to analysis/exposure*.c.
 */
#ifndef COMPILER_ANALYSIS_EXPOSURE_ASK_H
#define COMPILER_ANALYSIS_EXPOSURE_ASK_H

#include "compiler/analysis/exposure_result.h"
#include "compiler/eval/decision.h"

struct exposure_asker {
	const struct ir *ir;
	const struct exposure_where *where;
	struct arena *a;
	unsigned *given_up; /* how many patterns were too large to decide */
};

struct exposure_by exposure_by_rule(const struct ir_rule *r);
struct exposure_by exposure_by_scalar(const struct ir *ir, enum ir_scalar_id id);
/* What the decision gives. */
struct exposure_reach exposure_reach_of(const struct ir *ir, const struct eval_decision *d);
/* Takes the milder of the two; the first if they are equal. */
void exposure_add(struct exposure_reach *to, struct exposure_reach one);
/* A lock above the rule takes its allow away (doc/semantics.md, 3.1). */
bool exposure_is_locked(const struct ir *ir, const struct ir_rule *r);

#endif
