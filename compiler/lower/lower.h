/*
 * From resolved statements to the IR: one file a section.  What a pattern,
 * a condition or a value means is decided here and nowhere after; how well a
 * layer can enforce it is the back ends' business.
 */
#ifndef COMPILER_LOWER_LOWER_H
#define COMPILER_LOWER_LOWER_H

#include "compiler/ir/ir.h"
#include "compiler/sema/sema.h"

/*
 * Pass "lower": needs sema_resolve(), which may have failed: then what is
 * wrong with patterns, conditions and values is said too.  NULL after any
 * error (it is in the sink).  `lifted_by` is left empty: the pass "lift"
 * fills it.
 */
struct ir *lower_policy(struct sema *s);

#endif
