/* Turns the text of patterns into globs. */
#ifndef COMPILER_LOWER_GLOB_H
#define COMPILER_LOWER_GLOB_H

#include "compiler/lower/internal.h"
#include "compiler/lower/glob_in.h"

/* Reads up to the end of the text, or in words up to a blank; false after an error. */
bool lower_glob(struct lower_glob_in *in, struct ir_glob *ret);
/* A path pattern of `file`, `unix` or a test. */
bool lower_path(struct lower *l, const struct ast_value *v, enum lower_side side,
		struct ir_path *ret);
/* Has the glob no wildcard, so that it is one name? */
bool lower_is_fixed(const struct ir_glob *g);

#endif
