/* Conditions: what `when` and arguments in parentheses say. */
#ifndef COMPILER_LOWER_COND_H
#define COMPILER_LOWER_COND_H

#include "compiler/lower/internal.h"
#include "compiler/target/target.h"

/*
 * What `when` says in one scope; NULL after an error.  `call` is NULL where no
 * arguments can be named.
 */
struct ir_cond *lower_when(struct lower *l, const struct ast_expr *x,
			   const struct target_call *call, enum ir_scope scope);
/* What the arguments in parentheses say. */
struct ir_cond *lower_args(struct lower *l, const struct ast_expr *args,
			   const struct target_call *call, struct span at);
bool lower_mentions_scope(const struct ast_expr *x);
/* Does the expression ask about `role`, so that it may hold for another role? */
bool lower_mentions_role(const struct ast_expr *x);

#endif
