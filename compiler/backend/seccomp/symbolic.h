/* Compares every path through a filter for one number with the evaluator. */
#ifndef COMPILER_BACKEND_SECCOMP_SYMBOLIC_H
#define COMPILER_BACKEND_SECCOMP_SYMBOLIC_H

#include "compiler/backend/seccomp/members.h"

/*
 * NULL, or what differs.  *ret_proved: every path was followed, and on each the
 * evaluator gives what the filter returns, whatever the arguments are.  It is false
 * if that took too long (and nothing differed so far).
 */
const char *symbolic_number(const struct ir *ir, const struct emitted *e,
			    enum pb_filter_kind kind, uint32_t nr, struct arena *a,
			    bool *ret_proved);

#endif
