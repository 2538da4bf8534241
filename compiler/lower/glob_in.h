/* A pattern being read: glob.c, and set.c for "[abc]". */
#ifndef COMPILER_LOWER_GLOB_IN_H
#define COMPILER_LOWER_GLOB_IN_H

#include "compiler/lower/internal.h"

/* A word or path pattern being read. */
struct lower_glob_in {
	struct lower *l;
	struct str text;  /* what is read */
	struct str shown; /* as written, for messages */
	size_t i;
	struct span at;
	enum diag_code code;
	char separator; /* of alternatives: ',' in paths, '|' in words */
	bool path;
	bool sets;      /* "[abc]" is a set of characters, else an error */
	bool narrow;    /* as allow matches: a set has the bytes of '?' only */
	unsigned depth;
};

/*
 * set.c: the '[' at in->i and what belongs to it, as alternatives of one byte.
 * False after an error.
 */
bool lower_set(struct lower_glob_in *in, struct ir_glob_item *ret);

#endif
