/* Minimisation of automata.  Internal to sets/. */
#ifndef COMPILER_SETS_MINIMISE_H
#define COMPILER_SETS_MINIMISE_H

#include "compiler/sets/automaton.h"

/*
 * Makes, in arena `a`, the smallest automaton with the same tags for every word.  Its
 * states are in the order of a breadth-first walk, so that equal languages give equal
 * bytes.  State 0 of `raw` must be dead.  `tmp` is working memory.
 */
void set_dfa_minimise(struct arena *a, struct arena *tmp, const struct set_dfa *raw,
		      struct set_dfa *ret);

#endif
