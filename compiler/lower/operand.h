/* The leaves of conditions, for cond.c; nobody else includes this. */
#ifndef COMPILER_LOWER_OPERAND_H
#define COMPILER_LOWER_OPERAND_H

#include "compiler/lower/internal.h"
#include "compiler/target/target.h"

/* An argument under a mask. */
struct lower_operand {
	int arg;
	unsigned width;
	uint64_t mask;
};

struct ir_cond *lower_truth(struct lower *l, bool value);
/* Queues P0206 with `what`; `help` may be NULL.  Always NULL. */
struct ir_cond *lower_fault(struct lower *l, const struct ast_expr *x, const char *what,
			    const char *help);
/* No argument and no constant has the name of `x`; `call` may be NULL. */
void lower_unknown_name(struct lower *l, const struct ast_expr *x,
			const struct target_call *call);
/* Is this a value, not an argument?  Quietly. */
bool lower_is_constant(const struct ast_expr *x, const struct target_call *call);
/* NAME or NAME & MASK; false after an error. */
bool lower_operand(struct lower *l, const struct ast_expr *x,
		   const struct target_call *call, struct lower_operand *ret);
/* NULL after an error, as the next one. */
struct ir_cond *lower_compare_to(struct lower *l, const struct lower_operand *o,
				 enum ir_cmp cmp, const struct ast_expr *value);
/* One of a list's members, or a range, or one value. */
struct ir_cond *lower_one_of(struct lower *l, const struct lower_operand *o,
			     const struct ast_expr *x);

#endif
