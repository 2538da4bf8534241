/* Texts of patterns as globs: glob.c, and set.c for "[abc]". */
#ifndef COMPILER_LOWER_GLOB_H
#define COMPILER_LOWER_GLOB_H

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
/* Reads up to the end, or in words up to a blank; false after an error. */
bool lower_glob(struct lower_glob_in *in, struct ir_glob *ret);
/* A path pattern of `file`, `unix` or a test. */
bool lower_path(struct lower *l, const struct ast_value *v, enum lower_side side,
		struct ir_path *ret);

/* Bytes and nothing else: one name. */
bool lower_is_fixed(const struct ir_glob *g);

#endif
