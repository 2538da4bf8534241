/* The difference of two texts, line by line. */
#ifndef RUNTIME_STAGE_STAGE_DIFF_H
#define RUNTIME_STAGE_STAGE_DIFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { STAGE_DIFF_MAX = 4 << 20 }; /* bytes of a text that is compared */

/* Is it text?  It has no NUL and no byte that is not UTF-8. */
bool stage_diff_is_text(const char *s, size_t n);
/*
 * Prints hunks with three lines around each change, in the form of `diff -u`, each line
 * after `indent`.  Control characters but the tab are escaped.  Always exact: where a
 * shortest difference would take too long, it is longer.  0 or -ENOMEM.
 */
int stage_diff_print(FILE *out, const char *indent, const char *a, size_t na, const char *b,
		     size_t nb);

#endif
