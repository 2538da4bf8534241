/*
 * Where a filter's answers on arguments can change.  For each argument: every compared
 * value and its neighbours, each bit of every mask alone and all bits together, and all
 * of these with the upper half set.  Used by verify and the tests.
 */
#ifndef COMPILER_BACKEND_SECCOMP_BOUNDARY_H
#define COMPILER_BACKEND_SECCOMP_BOUNDARY_H

#include "compiler/base/vec.h"
#include "compiler/ir/ir.h"
#include "runtime/bundle/format.h"

struct boundary {
	VEC(uint64_t) values[6]; /* never empty */
	/* the compares themselves, without duplicates */
	VEC(const struct ir_cond *) compares;
};

/* Collects the boundaries of every condition of every rule on this number, and of what
 * the filter reports. */
void boundary_find(const struct ir *ir, enum pb_filter_kind kind, uint32_t nr,
		   struct arena *a, struct boundary *ret);
/* The number of combinations of all values; SIZE_MAX if there are more. */
size_t boundary_count(const struct boundary *b);
/* The i-th combination. */
void boundary_args(const struct boundary *b, size_t i, uint64_t ret_args[6]);

#endif
