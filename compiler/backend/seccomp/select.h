/*
 * The verdict of each system call: semantics 3.1 for every number, as a decision
 * graph over its arguments.  The kernel cannot ask, so ask becomes deny here.
 * Filters of other kinds than `enforce` report some of the calls that are allowed.
 */
#ifndef COMPILER_BACKEND_SECCOMP_SELECT_H
#define COMPILER_BACKEND_SECCOMP_SELECT_H

#include "compiler/backend/seccomp/dag.h"
#include "compiler/diag/diag.h"
#include "runtime/bundle/format.h"

/* Numbers lo..hi have the same decision. */
struct sel_range {
	uint32_t lo, hi; /* inclusive */
	uint32_t root;   /* node of the graph */
};

struct sel_ranges {
	struct sel_range *v;
	size_t n, cap;
};

struct selection {
	struct dag dag;
	/* Each covers 0..UINT32_MAX without a gap, ascending; neighbours differ in
	 * `root`. */
	struct sel_ranges ranges[PB_FILTER_COUNT];
};

/* False after an error in the sink. */
bool sel_build(const struct ir *ir, struct arena *a, struct diag_sink *sink,
	       struct selection *ret);

/* The decision of `enforce` for one number: a node of the graph. */
uint32_t sel_root(const struct selection *s, uint32_t nr);

/*
 * The number by which the members name a rule: the first rule of its statement,
 * since all rules of a statement have the same id and place.
 */
uint32_t sel_rule_number(const struct ir *ir, const struct ir_rule *r);

/* The rule that a number of the graph stands for, or NULL for a scalar. */
const struct ir_rule *sel_rule(const struct ir *ir, uint32_t number);

#endif
