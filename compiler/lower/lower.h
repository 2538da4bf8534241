/*
 * From resolved statements to the IR; each section has a file.  Lowering alone decides
 * what a pattern, a condition or a value means.  How well a layer can enforce it is
 * decided by the back ends.
 */
#ifndef COMPILER_LOWER_LOWER_H
#define COMPILER_LOWER_LOWER_H

#include "compiler/ir/ir.h"
#include "compiler/sema/sema.h"

/*
 * Pass "lower".  Call sema_resolve() before.  It may have failed: then errors in
 * patterns, conditions and values are reported too.  Returns NULL after any error
 * (which is in the sink).  `lifted_by` stays empty; the pass "lift" fills it.
 */
struct ir *lower_policy(struct sema *s);

#endif
