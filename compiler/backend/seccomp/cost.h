/* An estimate of what a call of box_atoms_hold() costs, so that budgets hold. */
#ifndef COMPILER_BACKEND_SECCOMP_COST_H
#define COMPILER_BACKEND_SECCOMP_COST_H

#include "compiler/sets/box.h"

/*
 * Many masks of one argument make the worst case grow exponentially: two masks about
 * double it (measured).  Compares of the whole argument hardly count.
 */
static inline size_t cost_of(const struct box_atom *atoms, size_t n)
{
	size_t masks = 0;

	for (size_t i = 0; i < n; i++)
		masks += atoms[i].cmp->mask != UINT64_MAX &&
			 atoms[i].cmp->mask != UINT32_MAX;
	return 1 + n / 16 + ((size_t)1 << (masks < 40 ? masks / 2 : 20)) - 1;
}

#define COST_BUDGET ((size_t)50000)

#endif
