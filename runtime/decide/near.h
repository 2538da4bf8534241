/* Decides many files one after the other.  Neighbours share most of their path, and often
 * the rules that match. */
#ifndef RUNTIME_DECIDE_NEAR_H
#define RUNTIME_DECIDE_NEAR_H

#include "runtime/decide/decide.h"

/* What is longer or deeper is decided without a memory, and so are all files of a bundle
 * with more automata, which few have. */
#define NEAR_PATH 4352u
#define NEAR_DEPTH 32u
#define NEAR_AUTOMATA 64u

/* PB_READ, PB_WRITE and PB_EXEC, in this order. */
#define DECIDE_FILE_OPS 3

/* What is left of the last path.  Zeroed before the first call; for one struct decide_ctx. */
struct decide_near {
	char path[NEAR_PATH]; /* its own name: path_own_name() */
	size_t len;
	/* where the walks over it stood before each '/' but the first, and at its end */
	uint32_t nmarks;
	struct near_mark {
		uint32_t len; /* of what had been read */
		uint32_t state[NEAR_AUTOMATA];
	} mark[NEAR_DEPTH];
	bool decided; /* there is one; by the sets of rules in which the walks ended: */
	uint32_t set[NEAR_AUTOMATA];
	struct decision d[DECIDE_FILE_OPS];
};

/*
 * The decisions of decide_file() for PB_READ, PB_WRITE and PB_EXEC; they stay until the next
 * call.  Time: linear in what differs from the last path, and in the rules that match only one
 * of both; if there are such rules, as decide_file() for the operations that they are about.
 */
const struct decision *decide_file_each(const struct decide_ctx *c, struct decide_near *near,
					const char *path);

#endif
