/*
 * Does one statement match one request: what `match` and `not match` ask.
 * Part of the reference evaluator.
 */
#ifndef COMPILER_EVAL_EXAMPLE_H
#define COMPILER_EVAL_EXAMPLE_H

#include "compiler/eval/eval.h"
#include "runtime/line/command.h"

struct eval_trial {
	bool matches;
	/* commands: why the line cannot be read, or NULL */
	const char *unread;
	/* commands: what the line may run; with `matches` which part it was */
	struct cmd_line line;
	const struct cmd_part *part;
	bool some; /* an allow: some of a part matches, and not all of it */
};

/*
 * Asks the rules of the example, in any scope of each, about the request (the
 * example's, with its roots and absolute paths): a rule matches a line if it
 * matches one of its simple commands as it takes effect, an allow all that the
 * command may stand for, any other rule some of it.  Time: the analysis of the
 * line, and its parts times the statement's rules.
 */
void eval_try_example(const struct ir *ir, const struct ir_example *x,
		    const struct ir_request *req, struct arena *a,
		    struct eval_trial *ret);

#endif
