/*
 * The verdict of each system call: semantics 3.1 for every number, as a decision
 * graph over its arguments.  The kernel cannot ask, so ask becomes deny here.
 */
#ifndef COMPILER_BACKEND_SECCOMP_SELECT_H
#define COMPILER_BACKEND_SECCOMP_SELECT_H

#include "compiler/backend/seccomp/dag.h"
#include "compiler/diag/diag.h"

/* Numbers lo..hi have the same decision. */
struct sel_range {
	uint32_t lo, hi; /* inclusive */
	uint32_t root;   /* node of the graph */
};

struct selection {
	struct dag dag;
	/* Covers 0..UINT32_MAX without a gap, ascending; neighbours differ in `root`. */
	VEC(struct sel_range) ranges;
};

/* False after an error in the sink. */
bool sel_build(const struct ir *ir, struct arena *a, struct diag_sink *sink,
	       struct selection *ret);

/* The decision for one number: a node of the graph. */
uint32_t sel_root(const struct selection *s, uint32_t nr);

/*
 * The number by which the members name a rule: the first rule of its statement,
 * since all rules of a statement have the same id and place.
 */
uint32_t sel_rule_number(const struct ir *ir, const struct ir_rule *r);

/* The rule that a number of the graph stands for, or NULL for a scalar. */
const struct ir_rule *sel_rule(const struct ir *ir, uint32_t number);

#endif
