/*
 * Compares `with`, `without`, `with only` and `within` of a command pattern with the
 * options and operands of one simple command.  Part of the reference evaluator.
 */
#ifndef COMPILER_EVAL_MATCH_GUARD_H
#define COMPILER_EVAL_MATCH_GUARD_H

#include "compiler/eval/asked.h"
#include "compiler/eval/match.h"

/* may: the guard holds in some reading of the words; must: in every one. */
struct eval_match eval_match_guard(const struct eval_asked *q, const struct ir_guard *g,
			       enum eval_side side);

#endif
