/* Guards of command patterns. */
#ifndef COMPILER_LOWER_GUARD_H
#define COMPILER_LOWER_GUARD_H

#include "compiler/lower/internal.h"

/* Guards of a statement, which all of its patterns have. */
struct lower_guards {
	VEC(struct ir_guard) v;
};

/* False after an error. */
bool lower_guards(struct lower *l, const struct ast_stmt *stmt, enum lower_side side,
		  struct lower_guards *ret);
/*
 * A broad pattern whose option words become guards; several patterns where a
 * word is an option or not.  False where there are too many.
 */
bool lower_option_words(struct lower *l, const struct ir_command *c,
			struct lower_sets *into);

#endif
