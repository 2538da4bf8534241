/*
 * What a line gets: the strictest answer of its parts (semantics 4.4).  Part of the
 * reference evaluator.  The only code that it shares with the runtime is the analysis
 * of the text (runtime/line/command.h), which knows no rule.
 */
#ifndef COMPILER_EVAL_LINE_H
#define COMPILER_EVAL_LINE_H

#include "compiler/eval/part.h"

/* What decided the line: one of its parts, or else a property of the line itself. */
enum eval_line_why {
	EVAL_LW_PART,     /* parts[deciding] */
	EVAL_LW_NOTHING,  /* the line runs nothing */
	EVAL_LW_UNPARSED, /* semantics 4.1: the line could not be parsed */
	EVAL_LW_LIMIT,    /* the line is past a limit of the analysis: deny */
	EVAL_LW_SHELL     /* this policy has no shell that can read the line: deny */
};

struct eval_line {
	struct cmd_line cmd;
	struct eval_part_decision *parts; /* in the order of cmd.first */
	size_t nparts;
	size_t deciding;
	enum eval_line_why why;
};

/* Only analyses a request of kind IR_COMMAND; asks no rule. */
void eval_read_line(const struct ir *ir, const struct ir_request *req, struct arena *a,
		  struct cmd_world *ret_world, struct cmd_line *ret);
/* Decides a request of kind IR_COMMAND that has a line or an argv. */
void eval_decide_line(const struct ir *ir, const struct ir_request *req, struct arena *a,
		  struct eval_decision *ret);

#endif
