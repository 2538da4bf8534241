/* The parts of verify that tests call by themselves. */
#ifndef COMPILER_BACKEND_SECCOMP_VERIFY_H
#define COMPILER_BACKEND_SECCOMP_VERIFY_H

#include "compiler/backend/seccomp/members.h"

/* Is this return what eval_decide() says about the call?  NULL, or what differs. */
const char *verify_return(const struct ir *ir, const struct emitted *e, bool trace,
			  uint32_t nr, const uint64_t args[6], uint32_t value,
			  uint32_t pc, struct arena *a);
/* Runs one number at (at most so many of) its boundaries. */
const char *verify_number(const struct ir *ir, const struct emitted *e, bool trace,
			  uint32_t nr, size_t max_runs, struct arena *a);

#endif
