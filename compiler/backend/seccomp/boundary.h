/*
 * Where decisions on arguments can change: for each argument the values at and
 * beside every compared value, each bit of every mask alone and together, and
 * all of them with the upper half set.  For verify and the tests.
 */
#ifndef COMPILER_BACKEND_SECCOMP_BOUNDARY_H
#define COMPILER_BACKEND_SECCOMP_BOUNDARY_H

#include "compiler/base/vec.h"
#include "compiler/ir/ir.h"

struct boundary {
	VEC(uint64_t) values[6]; /* never empty */
	/* the compares themselves, each once */
	VEC(const struct ir_cond *) compares;
};

/* Of every condition of every rule on this number. */
void boundary_find(const struct ir *ir, uint32_t nr, struct arena *a,
		   struct boundary *ret);
/* Combinations of all values; SIZE_MAX where they are more. */
size_t boundary_count(const struct boundary *b);
/* The i-th of them. */
void boundary_args(const struct boundary *b, size_t i, uint64_t ret_args[6]);

#endif
