/*
 * The calls that a filter reports although they are allowed.  Shared by the code that
 * writes the filters and the code that proves them, for it is what they are to do.
 */
#ifndef COMPILER_BACKEND_SECCOMP_REPORTED_H
#define COMPILER_BACKEND_SECCOMP_REPORTED_H

#include <stdbool.h>

#include "compiler/ir/ir.h"
#include "runtime/bundle/format.h"

struct reported {
	enum pb_verdict verdict;
	bool always;
	struct ir_cond when; /* else: a compare of one argument */
};

/* False: this filter allows the call like any other (or no table has a name for it). */
bool reported_find(const struct ir *ir, enum pb_filter_kind kind, uint32_t nr,
		   struct reported *ret);
/* Is it reported with these arguments? */
bool reported_with(const struct reported *r, const uint64_t args[6]);

#endif
