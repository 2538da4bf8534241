/* Paths and the automata that read them. Internal to decide/. */
#ifndef RUNTIME_DECIDE_PATH_H
#define RUNTIME_DECIDE_PATH_H

#include "runtime/decide/decide.h"

/* The i-th automaton over paths and names. */
static inline const struct pb_automaton *dfa_at(const struct pb_matcher *m, uint32_t i)
{
	return pb_at(m, m->automata, sizeof(struct pb_automaton), i);
}

/* What follows the root in the path: "" or text that begins with '/'. NULL: the path is
 * not below the root. */
const char *path_rest(const char *root, const char *path);

#endif
