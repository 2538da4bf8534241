/* Guards of command patterns. */
#ifndef COMPILER_LOWER_GUARD_H
#define COMPILER_LOWER_GUARD_H

#include "compiler/lower/internal.h"

/* The guards of a statement; they apply to each of its patterns. */
struct lower_guards {
	VEC(struct ir_guard) v;
};

/* False after an error. */
bool lower_guards(struct lower *l, const struct ast_stmt *stmt, enum lower_side side,
		  struct lower_guards *ret);
/*
 * Turns the option words of a broad pattern into guards.  If a word may or may not be
 * an option, the result is several patterns.  False if there are too many.
 */
bool lower_option_words(struct lower *l, const struct ir_command *c,
			struct lower_sets *into);

#endif
