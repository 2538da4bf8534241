/*
 * Does one statement match one request?  This answers `match` and `not match`.  Part of
 * the reference evaluator.
 */
#ifndef COMPILER_EVAL_EXAMPLE_H
#define COMPILER_EVAL_EXAMPLE_H

#include "compiler/eval/decision.h"
#include "runtime/line/command.h"

struct eval_trial {
	bool matches;
	/* commands: why the line cannot be read, or NULL */
	const char *unread;
	/*
	 * commands: what the line may run; with `matches`, `part` is the part that
	 * matched
	 */
	struct cmd_line line;
	const struct cmd_part *part;
	bool some; /* allow: it matches a part for some values of its words, but not
	              for all */
};

/*
 * Asks the example's rules, in any scope of each, about the request (the example's own,
 * with roots and absolute paths filled in).  A rule matches a line if it matches one of
 * the line's simple commands as it takes effect: an allow must match everything that
 * the command may stand for, any other rule some of it.  Time: one analysis of the
 * line, and number of parts times number of rules.
 */
void eval_try_example(const struct ir *ir, const struct ir_example *x,
		    const struct ir_request *req, struct arena *a,
		    struct eval_trial *ret);

#endif
