/*
 * What a line gets: the strictest of its parts (semantics 4.4).  Part of the
 * reference evaluator.  The analysis of the text (runtime/decide/command.h),
 * which knows no rule, is all that it has in common with the runtime.
 */
#ifndef COMPILER_IR_EVAL_LINE_H
#define COMPILER_IR_EVAL_LINE_H

#include "compiler/ir/eval_part.h"

/* Which part of the line's own state decided, where no part did. */
enum ir_line_why {
	IR_LW_PART,     /* parts[deciding] */
	IR_LW_NOTHING,  /* it runs nothing */
	IR_LW_UNPARSED, /* 4.1 */
	IR_LW_LIMIT,    /* past a limit of the analysis: deny */
	IR_LW_SHELL     /* no shell of this policy reads it: deny */
};

struct ir_line {
	struct cmd_line cmd;
	struct ir_part_decision *parts; /* in the order of cmd.first */
	size_t nparts;
	size_t deciding;
	enum ir_line_why why;
};

/* The analysis alone, of a request of kind IR_COMMAND: no rule is asked. */
void ir_read_line(const struct ir *ir, const struct ir_request *req, struct arena *a,
		  struct cmd_world *ret_world, struct cmd_line *ret);
/* A request of kind IR_COMMAND with a line or an argv. */
void ir_eval_line(const struct ir *ir, const struct ir_request *req, struct arena *a,
		  struct ir_decision *ret);

#endif
