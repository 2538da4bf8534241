/* Regular expressions of patterns and facts. */
#ifndef COMPILER_LOWER_REGEX_H
#define COMPILER_LOWER_REGEX_H

#include "compiler/lower/internal.h"

/*
 * Reports a regex that PCRE2 refuses or that is too large.  One that is not a regular
 * language is `opaque`; with ret_opaque NULL, that is an error.  `flags`: further
 * set_regex_flag.
 */
bool lower_regex(struct lower *l, const struct ast_value *v, unsigned flags,
		 bool *ret_opaque);
bool lower_regex_flag(const struct ast_value *v, char flag);
/* Reads `when /…/` of a place of code; NULL: there is none. */
void lower_when_regex(struct lower *l, const struct ast_value *v, struct ir_when *ret);

#endif
