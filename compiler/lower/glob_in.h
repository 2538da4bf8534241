/* The state of reading a pattern, shared by glob.c and set.c (which reads "[abc]"). */
#ifndef COMPILER_LOWER_GLOB_IN_H
#define COMPILER_LOWER_GLOB_IN_H

#include "compiler/lower/internal.h"

/* A word or path pattern while it is read. */
struct lower_glob_in {
	struct lower *l;
	struct str text;  /* the text to read */
	struct str shown; /* the text as written, for messages */
	size_t i;
	struct span at;
	enum diag_code code;
	char separator; /* between alternatives: ',' in paths, '|' in words */
	bool path;
	bool sets;      /* "[abc]" is a set of characters; if false, an error */
	bool narrow;    /* match as an allow does: a set has only bytes of '?' */
	unsigned depth;
};

/*
 * Reads the set that begins with the '[' at in->i, as alternatives of one byte (set.c).
 * False after an error.
 */
bool lower_set(struct lower_glob_in *in, struct ir_glob_item *ret);

#endif
