/* The difference of two texts as a unified diff, which patch(1) takes. */
#ifndef COMPILER_CLI_UNIFIED_H
#define COMPILER_CLI_UNIFIED_H

#include <stdio.h>

#include "compiler/base/arena.h"
#include "compiler/base/str.h"

/*
 * Prints nothing if the texts are equal.  Texts that differ in more than about a
 * thousand lines are shown as one large change.
 */
void unified_diff(FILE *out, struct arena *a, const char *name, struct str was,
		  struct str is);

#endif
