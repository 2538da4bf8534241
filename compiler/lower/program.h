/* Tables of programs. */
#ifndef COMPILER_LOWER_PROGRAM_H
#define COMPILER_LOWER_PROGRAM_H

#include "compiler/lower/internal.h"

/* A table of `program`, `wrapper` or `interpreter`. */
void lower_program(struct lower *l, const struct sema_stmt *t);
/* Reports what is no name of a program. */
bool lower_program_name(struct lower *l, struct str name, struct span at);

#endif
