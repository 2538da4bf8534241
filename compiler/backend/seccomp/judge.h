/*
 * Compares single answers of a filter with the evaluator.  Shared by verify.c and
 * symbolic.c; depends on neither.
 */
#ifndef COMPILER_BACKEND_SECCOMP_JUDGE_H
#define COMPILER_BACKEND_SECCOMP_JUDGE_H

#include "compiler/backend/seccomp/members.h"

/* Text of a message: the filter, the call and what is wrong. */
const char *judge_text(struct arena *a, enum pb_filter_kind kind, uint32_t nr,
		       const uint64_t args[6], const char *what);
/* Is this return what eval_decide() says about the call?  NULL, or what differs. */
const char *judge_return(const struct ir *ir, const struct emitted *e,
			 enum pb_filter_kind kind, uint32_t nr, const uint64_t args[6],
			 uint32_t value, uint32_t pc, struct arena *a);
/* Runs the filter for one number at the boundaries, at most `max_runs` of them. */
const char *judge_number(const struct ir *ir, const struct emitted *e,
			 enum pb_filter_kind kind, uint32_t nr, size_t max_runs,
			 struct arena *a);

#endif
