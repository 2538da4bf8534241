/*
 * One pattern of a command rule, exception or fact against one simple command:
 * may it match, must it match (semantics 4.3 and 4.4)?  A command stands for a
 * set of word lists, and the answer is about all of them.  Part of the
 * reference evaluator; shares no code with sets/ or the runtime's matcher.
 */
#ifndef COMPILER_EVAL_MATCH_COMMAND_H
#define COMPILER_EVAL_MATCH_COMMAND_H

#include "compiler/ir/ir.h"
#include "compiler/eval/match.h"
#include "runtime/line/command.h"

/* Some value of the command, in some reading; every value, for sure. */
struct eval_match {
	bool may, must;
};

/* What the command is judged with. */
struct eval_asked {
	const struct ir *ir;
	const struct ir_request *req; /* roots */
	const struct cmd_world *world;
	const struct cmd_part *part;  /* CMD_COMMAND, with a word at least */
};

/* Exceptions are the caller's business. */
struct eval_match eval_match_command(const struct eval_asked *q, const struct ir_command *c,
				 enum eval_side side);

#endif
