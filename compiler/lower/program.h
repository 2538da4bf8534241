/* Tables of programs: facts.c checks their form, program.c reads them. */
#ifndef COMPILER_LOWER_PROGRAM_H
#define COMPILER_LOWER_PROGRAM_H

#include "compiler/lower/internal.h"

/* A table of `program`, `wrapper` or `interpreter` whose form is checked. */
void lower_program(struct lower *l, const struct sema_stmt *t);
/* Reports what is no name of a program. */
bool lower_program_name(struct lower *l, struct str name, struct span at);
/* Is it a line of operands that name files (`reads operand 2`)?  ret may be NULL. */
bool lower_place_of(enum ast_prog_kind kind, enum ir_place_kind *ret);
/* Which operands it speaks of (ir_code_place.operand); false: none. */
bool lower_operands(const struct ast_value *v, uint32_t *ret);
/* The flag of a line that is one word, or 0. */
unsigned lower_program_flag(struct str word);

#endif
