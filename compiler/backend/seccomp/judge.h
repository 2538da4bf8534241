/*
 * Single answers of a filter, held against the evaluator.  What verify.c and
 * symbolic.c have in common; it knows of neither.
 */
#ifndef COMPILER_BACKEND_SECCOMP_JUDGE_H
#define COMPILER_BACKEND_SECCOMP_JUDGE_H

#include "compiler/backend/seccomp/members.h"

/* The filter, the call and what is wrong, for a message. */
const char *judge_text(struct arena *a, bool trace, uint32_t nr, const uint64_t args[6],
		       const char *what);
/* Is this return what eval_decide() says about the call?  NULL, or what differs. */
const char *judge_return(const struct ir *ir, const struct emitted *e, bool trace,
			 uint32_t nr, const uint64_t args[6], uint32_t value,
			 uint32_t pc, struct arena *a);
/* Runs one number at (at most so many of) its boundaries. */
const char *judge_number(const struct ir *ir, const struct emitted *e, bool trace,
			 uint32_t nr, size_t max_runs, struct arena *a);

#endif
