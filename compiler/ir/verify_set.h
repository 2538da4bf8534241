/* Sets and facts of the IR, for verify.c only. */
#ifndef COMPILER_IR_VERIFY_SET_H
#define COMPILER_IR_VERIFY_SET_H

#include "compiler/ir/ir.h"

/*
 * NULL, or what is broken.  `broad`: the set is matched as deny, ask and
 * hide match.
 */
const char *ir_verify_set(enum ir_kind kind, const struct ir_set *set, bool broad);
/* Everything of ir/facts.h: NULL, or what is broken. */
const char *ir_verify_facts(const struct ir *ir, struct arena *a);

#endif

