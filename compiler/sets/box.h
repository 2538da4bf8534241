/*
 * Boxes: conditions over six 64-bit arguments, decided bit by bit, so that
 * masks and intervals on one argument are never taken as independent; and
 * address x port x protocol products.
 */
#ifndef COMPILER_SETS_BOX_H
#define COMPILER_SETS_BOX_H

#include "compiler/ir/ir.h"
#include "compiler/sets/automaton.h"

/* One atom: a CMP of ir_cond, taken as it is or negated. */
struct box_atom {
	const struct ir_cond *cmp;
	bool negated;
};

/*
 * Can these atoms hold together?  Exact, but where hundreds of masks of one
 * argument make the search too long: then true, without a witness.  ret_args (may be NULL) receives a
 * witness: the smallest value of each argument that the atoms name, 0 else.
 */
bool box_atoms_hold(const struct box_atom *atoms, size_t n, uint64_t ret_args[6]);

/* Is every call of `x` (NULL: any arguments) one of `y`? Witness otherwise. */
enum set_answer box_cond_included(struct arena *a, const struct ir_cond *x,
				  const struct ir_cond *y, uint64_t ret_args[6]);
/* Conjunction, disjunction, negation, with TRUE and FALSE folded; NULL is TRUE. */
struct ir_cond *box_and(struct arena *a, struct ir_cond *x, struct ir_cond *y);
struct ir_cond *box_or(struct arena *a, struct ir_cond *x, struct ir_cond *y);
struct ir_cond *box_not(struct arena *a, struct ir_cond *x);

/* Is the address x port x proto box of `x` inside that of `y`? Host names
 * are compared as languages: a name set is inside a name set or `any`. */
bool box_net_included(const struct ir_net *x, const struct ir_net *y);
bool box_net_meets(const struct ir_net *x, const struct ir_net *y);
/* Is `x` inside the union of all `ys`?  Exact. */
bool box_net_covered(const struct ir_net *x, const struct ir_net *const *ys, size_t n);

#endif
