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

/* Below the place of a mount, longer names mean nothing. */
#define PATH_MAX_OWN 8192
/*
 * The name of a path in its own tree: a path below the place of a mount has the name that
 * it has below the mounted tree. NULL: that tree's root does not exist, or the name is
 * too long.
 */
const char *path_own_name(const struct decide_ctx *c, const char *path, char *buf,
			  size_t cap);
/* Decides about a file by the states in which the walks over its path have ended. */
void path_decide(const struct decide_ctx *c, uint8_t op, const struct dfa_walk *ends,
		 size_t n, struct decision *ret);

#endif
