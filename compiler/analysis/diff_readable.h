/*
 * Requests of findings as people write them: `git push --force` for `/git push -f`.
 * Internal to analysis/diff*.c.
 */
#ifndef COMPILER_ANALYSIS_DIFF_READABLE_H
#define COMPILER_ANALYSIS_DIFF_READABLE_H

#include "compiler/analysis/diff_item.h"

/*
 * Gives each finding that has a request a readable one, if there is a better one than the
 * shortest.  It is asked of both whole policies: the same statements decide it in the same
 * way, and unless it is a command, the changed statements that match the shortest one match
 * it as well.
 */
void diff_readable(struct diff *d);

#endif
