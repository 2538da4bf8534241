/* Tables of programs. */
#ifndef COMPILER_LOWER_PROGRAM_H
#define COMPILER_LOWER_PROGRAM_H

#include "compiler/lower/internal.h"

/* Lowers a table of `program`, `wrapper` or `interpreter`. */
void lower_program(struct lower *l, const struct sema_stmt *t);
/* bash, dash, sh or zsh. */
bool lower_is_shell(struct str name);
/* Reports a name that no program can have. */
bool lower_program_name(struct lower *l, struct str name, struct span at);

#endif
