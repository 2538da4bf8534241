/* The automaton of a regular expression.  Internal to sets/. */
#ifndef COMPILER_SETS_REGEX_GRAPH_H
#define COMPILER_SETS_REGEX_GRAPH_H

#include "compiler/sets/automaton.h"
#include "compiler/sets/regex_tree.h"

/* The texts in which `x` is found; NULL past the limits of regex_limits.h. */
struct set_re *rx_search(struct arena *a, const struct rx *x);

#endif
