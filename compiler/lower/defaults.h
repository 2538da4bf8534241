/*
 * Defaults: the effect where no rule decides (`otherwise`), and the effect for a command that
 * cannot be read (`opaque`).
 */
#ifndef COMPILER_LOWER_DEFAULTS_H
#define COMPILER_LOWER_DEFAULTS_H

#include "compiler/lower/internal.h"

/* Looks whether any statement is about one scope; before the statements are read. */
void default_begin(struct lower *l);
/* Claims what an `otherwise` or `opaque` says. */
void default_read(struct lower *l, const struct sema_stmt *t);

#endif
