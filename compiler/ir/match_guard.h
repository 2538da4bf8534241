/*
 * `with`, `without`, `with only` and `within` of a command pattern against
 * the options and operands of one simple command.  Part of the reference
 * evaluator.
 */
#ifndef COMPILER_IR_MATCH_GUARD_H
#define COMPILER_IR_MATCH_GUARD_H

#include "compiler/ir/match_command.h"

/* May: in some reading of the words; must: in every one. */
struct ir_match ir_match_guard(const struct ir_asked *q, const struct ir_guard *g,
			       enum ir_side side);

#endif
