/*
 * The line facts of std/base as a part of polc.  Nearly every policy has the facts of
 * std/base and no others, and to merge them and to make their automata is most of the time
 * of a short run.  So they are made when polc is built (compiler/cli/ready.c).
 */
#ifndef COMPILER_LOWER_READY_BLOCK_H
#define COMPILER_LOWER_READY_BLOCK_H

#include <stddef.h>

/* As runtime/bundle/common_bytes.h has it, and made in the same way (Makefile). */
struct facts_ready {
	const void *block; /* struct line_facts */
	size_t size;       /* 0: there is none */
	const char *key;   /* of ready.h, 64 hexadecimal digits */
};

extern const struct facts_ready facts_ready;

#endif
