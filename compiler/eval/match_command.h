/*
 * Matches one pattern of a command rule, exception or fact against one simple command:
 * may it match, must it match (semantics 4.3 and 4.4)?  A command stands for a set of
 * word lists, and the answer covers all of them.  Part of the reference evaluator;
 * shares no code with sets/ or the runtime's matcher.
 */
#ifndef COMPILER_EVAL_MATCH_COMMAND_H
#define COMPILER_EVAL_MATCH_COMMAND_H

#include "compiler/eval/asked.h"
#include "compiler/eval/match.h"

/* The caller handles exceptions. */
struct eval_match eval_match_command(const struct eval_asked *q, const struct ir_command *c,
				 enum eval_side side);

#endif
