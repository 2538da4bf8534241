/*
 * Boxes: conditions over six 64-bit arguments, decided bit by bit, so that masks and
 * intervals on one argument are never treated as independent; and products of address,
 * port and protocol.
 */
#ifndef COMPILER_SETS_BOX_H
#define COMPILER_SETS_BOX_H

#include "compiler/ir/ir.h"
#include "compiler/sets/automaton.h"

/* One atom: a comparison (CMP) of ir_cond, either as it is or negated. */
struct box_atom {
	const struct ir_cond *cmp;
	bool negated;
};

/*
 * Can these atoms hold together?  The answer is exact, unless hundreds of masks on one
 * argument make the search too long: then it is true, without a witness.  ret_args (may
 * be NULL) receives a witness: the smallest value for each argument that the atoms
 * name, and 0 for the others.
 */
bool box_atoms_hold(const struct box_atom *atoms, size_t n, uint64_t ret_args[6]);

/*
 * Is every call that satisfies `x` (NULL: any arguments) one that satisfies `y`?  If
 * not, gives a witness.
 */
enum set_answer box_cond_included(struct arena *a, const struct ir_cond *x,
				  const struct ir_cond *y, uint64_t ret_args[6]);
/*
 * Conjunction, disjunction and negation; TRUE and FALSE are simplified away; NULL means
 * TRUE.
 */
struct ir_cond *box_and(struct arena *a, struct ir_cond *x, struct ir_cond *y);
struct ir_cond *box_or(struct arena *a, struct ir_cond *x, struct ir_cond *y);
struct ir_cond *box_not(struct arena *a, struct ir_cond *x);

/* Is the address x port x protocol box of `x` inside that of `y`?  Host names are
 * compared as languages: a set of names can be inside a set of names, or inside `any`. */
bool box_net_included(const struct ir_net *x, const struct ir_net *y);
bool box_net_meets(const struct ir_net *x, const struct ir_net *y);
/* Is `x` inside the union of all `ys`?  The answer is exact. */
bool box_net_covered(const struct ir_net *x, const struct ir_net *const *ys, size_t n);

#endif
