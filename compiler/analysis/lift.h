/*
 * The pass "lift": which allow rules take a default's deny, ask or hide away
 * (doc/semantics.md, 3.1 step 2).  Decided once, by inclusion of whole sets.
 */
#ifndef COMPILER_ANALYSIS_LIFT_H
#define COMPILER_ANALYSIS_LIFT_H

#include "compiler/diag/diag.h"
#include "compiler/ir/ir.h"

/*
 * Fills lifted_by of every deny, ask and hide of level 5 and sets ir->lifted.
 * An inclusion that the budget leaves undecided lifts nothing and is a
 * warning at the allow.  Always true: there is no error here.
 */
bool pass_lift(struct ir *ir, struct diag_sink *sink);

#endif
