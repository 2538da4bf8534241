/* The parts of conditions; NULL means that an error was reported. */
#ifndef COMPILER_LOWER_OPERAND_H
#define COMPILER_LOWER_OPERAND_H

#include "compiler/lower/internal.h"
#include "compiler/target/target.h"

struct ir_cond *lower_truth(struct lower *l, bool value);
struct ir_cond *lower_and(struct lower *l, struct ir_cond *x, struct ir_cond *y);
struct ir_cond *lower_or(struct lower *l, struct ir_cond *x, struct ir_cond *y);
struct ir_cond *lower_not(struct lower *l, struct ir_cond *x);
struct ir_cond *lower_compare(struct lower *l, unsigned arg, unsigned width,
			      uint64_t mask, enum ir_cmp cmp, uint64_t value);
/*
 * Reads a number, a constant, or several joined by '|'; negative ones are
 * sign-extended.
 */
bool lower_constant(struct lower *l, const struct ast_expr *x, uint64_t *ret);
/* An argument under a mask. */
struct lower_operand {
	int arg;
	unsigned width;
	uint64_t mask;
};

/* Reports P0206 with the text `what`; `help` may be NULL.  Always returns NULL. */
struct ir_cond *lower_fault(struct lower *l, const struct ast_expr *x, const char *what,
			    const char *help);
/* Reports that no argument and no constant has the name `x`; `call` may be NULL. */
void lower_unknown_name(struct lower *l, const struct ast_expr *x,
			const struct target_call *call);
/* Is this a value and not an argument?  Reports nothing. */
bool lower_is_constant(const struct ast_expr *x, const struct target_call *call);
/* Reads NAME or NAME & MASK; false after an error. */
bool lower_operand(struct lower *l, const struct ast_expr *x,
		   const struct target_call *call, struct lower_operand *ret);
/* Both return NULL after an error. */
struct ir_cond *lower_compare_to(struct lower *l, const struct lower_operand *o,
				 enum ir_cmp cmp, const struct ast_expr *value);
/* A member of a list, or a range, or one value. */
struct ir_cond *lower_one_of(struct lower *l, const struct lower_operand *o,
			     const struct ast_expr *x);

#endif
