/*
 * Guards without their spelling: what means the same has the same key.  Internal to
 * analysis/diff*.c.
 */
#ifndef COMPILER_ANALYSIS_DIFF_GUARD_KEY_H
#define COMPILER_ANALYSIS_DIFF_GUARD_KEY_H

#include "compiler/ir/ir.h"

struct str diff_option_key(struct arena *a, const struct ir_option *o);
struct str diff_guard_key(struct arena *a, const struct ir_guard *g);
/*
 * Gives the command guards of its own, without spelling: options, paths and guards in the
 * order of their keys, none twice, and one `without` instead of several.
 */
void diff_guard_bare(struct arena *a, struct ir_command *c);

#endif
