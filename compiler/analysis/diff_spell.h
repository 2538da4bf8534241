/*
 * Where one policy decides a command by a rule and the other one alike by a default: words
 * may still make a difference.  Internal to analysis/diff*.c.
 */
#ifndef COMPILER_ANALYSIS_DIFF_SPELL_H
#define COMPILER_ANALYSIS_DIFF_SPELL_H

#include "compiler/analysis/diff_ask.h"

/*
 * Where told->named says so: asks about lines in which words could make a difference.
 * True if nothing is left to ask: no such line is possible, or the findings tell enough.
 */
bool diff_spell_ask(struct diff *d, const struct diff_item *it, struct diff_told *told);
/*
 * For a proof, where told->named says so: asks about the same commands as the code of a shell,
 * which is a line of the assertion's set, too.  True if no rule allows a shell whose code
 * nobody has seen, or the findings tell enough.
 */
bool diff_spell_shell(struct diff *d, const struct diff_item *it, struct diff_told *told);
/*
 * Where told->code says so: asks about lines with code.  True if no line can differ, or the
 * findings tell enough.
 */
bool diff_spell_code(struct diff *d, const struct diff_item *it, struct diff_told *told);

#endif
