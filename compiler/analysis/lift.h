/*
 * The pass "lift": decides which allow rules remove a default's deny, ask or hide
 * (doc/semantics.md, 3.1 step 2).  This is decided once, by inclusion of whole sets.
 */
#ifndef COMPILER_ANALYSIS_LIFT_H
#define COMPILER_ANALYSIS_LIFT_H

#include "compiler/diag/diag.h"
#include "compiler/ir/ir.h"

/*
 * Fills in lifted_by of every deny, ask and hide of level 5 and sets ir->lifted.  If
 * the budget leaves an inclusion undecided, the allow lifts nothing and gets a warning.
 * Always returns true: there are no errors.
 */
bool pass_lift(struct ir *ir, struct diag_sink *sink);

#endif
