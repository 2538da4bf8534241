/*
 * One pattern of a command rule, exception or fact against one simple command:
 * may it match, must it match (semantics 4.3 and 4.4)?  A command stands for a
 * set of word lists, and the answer is about all of them.  Part of the
 * reference evaluator; shares no code with sets/ or the runtime's matcher.
 */
#ifndef COMPILER_IR_MATCH_COMMAND_H
#define COMPILER_IR_MATCH_COMMAND_H

#include "compiler/ir/ir.h"
#include "compiler/ir/match.h"
#include "runtime/decide/command.h"

/* Some value of the command, in some reading; every value, for sure. */
struct ir_match {
	bool may, must;
};

/* What the command is judged with. */
struct ir_asked {
	const struct ir *ir;
	const struct ir_request *req; /* roots */
	const struct cmd_world *world;
	const struct cmd_part *part;  /* CMD_COMMAND, with a word at least */
};

/* Exceptions are the caller's business. */
struct ir_match ir_match_command(const struct ir_asked *q, const struct ir_command *c,
				 enum ir_side side);

#endif
