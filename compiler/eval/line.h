/*
 * What a line gets: the strictest of its parts (semantics 4.4).  Part of the
 * reference evaluator.  The analysis of the text (runtime/line/command.h),
 * which knows no rule, is all that it has in common with the runtime.
 */
#ifndef COMPILER_EVAL_LINE_H
#define COMPILER_EVAL_LINE_H

#include "compiler/eval/part.h"

/* Which part of the line's own state decided, where no part did. */
enum eval_line_why {
	EVAL_LW_PART,     /* parts[deciding] */
	EVAL_LW_NOTHING,  /* it runs nothing */
	EVAL_LW_UNPARSED, /* 4.1 */
	EVAL_LW_LIMIT,    /* past a limit of the analysis: deny */
	EVAL_LW_SHELL     /* no shell of this policy reads it: deny */
};

struct eval_line {
	struct cmd_line cmd;
	struct eval_part_decision *parts; /* in the order of cmd.first */
	size_t nparts;
	size_t deciding;
	enum eval_line_why why;
};

/* The analysis alone, of a request of kind IR_COMMAND: no rule is asked. */
void eval_read_line(const struct ir *ir, const struct ir_request *req, struct arena *a,
		  struct cmd_world *ret_world, struct cmd_line *ret);
/* A request of kind IR_COMMAND with a line or an argv. */
void eval_decide_line(const struct ir *ir, const struct ir_request *req, struct arena *a,
		  struct eval_decision *ret);

#endif
