/*
 * Position automata as leaves of expressions (SET_GRAPH).  Internal to sets/;
 * automaton.h declares set_from_graph().
 */
#ifndef COMPILER_SETS_GRAPH_H
#define COMPILER_SETS_GRAPH_H

#include "compiler/sets/automaton.h"

/* What may follow the byte `c` in a member that begins with it. */
struct set_re *set_graph_after(struct arena *a, const struct set_graph *g, uint8_t c);

#endif
