/* What a glob means, however it is spelled; for keys.  Internal to analysis/diff*.c. */
#ifndef COMPILER_ANALYSIS_DIFF_GLOB_KEY_H
#define COMPILER_ANALYSIS_DIFF_GLOB_KEY_H

#include "compiler/base/arena.h"
#include "compiler/ir/set.h"

/*
 * Matches the same.  Of equal alternatives one remains, they are in one order, and a
 * single one stands there without its braces.
 */
struct ir_glob diff_glob_bare(struct arena *a, const struct ir_glob *g);

#endif
