/* Patterns of commands. */
#ifndef COMPILER_LOWER_COMMAND_H
#define COMPILER_LOWER_COMMAND_H

#include "compiler/lower/internal.h"
#include "compiler/lower/guard.h"

/* Adds what one pattern means to `into`; false after an error. */
bool lower_command_pattern(struct lower *l, const struct ast_value *v,
			   enum lower_side side, const struct lower_guards *guards,
			   struct lower_sets *into);
/* The exceptions of a statement as sets; false after an error. */
bool lower_command_except(struct lower *l, const struct ast_stmt *stmt,
			  enum lower_side side, struct ir_set **ret, size_t *ret_n);

#endif
