/*
 * What two resolved policies decide differently (doc/polc.md, "What changed").  Rules
 * are compared by what they mean, without place, name and spelling.  A rule that only
 * one policy has raises a question: the requests in its set are divided into regions
 * that meet the same rules, and the evaluator is asked about one request of each region
 * under both policies.
 *
 * A finding about requests always has a request that the evaluator answers differently.
 * We say "same" only if every region was examined, or if in each region the rules of
 * both sides act alike.  Everything else is a doubt.
 */
#ifndef COMPILER_ANALYSIS_DIFF_H
#define COMPILER_ANALYSIS_DIFF_H

#include "compiler/analysis/diff_result.h"

/*
 * Compares two policies; both must be verified and lifted.  Time is bounded: what goes
 * past a budget becomes a doubt.
 */
void diff_policies(const struct ir *old, const struct ir *new,
		   const struct diff_where *where, struct arena *a,
		   struct diff_result *ret);
/*
 * The same for the requests of one kind that match the rules in which the policies
 * differ; they differ in rules of this kind only.
 */
void diff_kind(const struct ir *old, const struct ir *new, enum ir_kind kind,
	       const struct diff_where *where, struct arena *a, struct diff_result *ret);

#endif
