/*
 * Asks the compiled policy the same questions as the evaluator.  The reader of the
 * runtime reads the bundle that these members would make, and the library of the
 * runtime decides.
 */
#ifndef COMPILER_CLI_COMPILED_H
#define COMPILER_CLI_COMPILED_H

#include "compiler/cli/compilation.h"
#include "compiler/eval/eval.h"
#include "runtime/bundle/reader.h"
#include "runtime/decide/decide.h"

/*
 * Does a bundle of this policy answer such a request?  Filters and network rules
 * apply only in the sandbox; host names wait for the egress gateway; a network that
 * cannot be enforced has no bundle.
 */
bool compiled_answers(const struct ir *ir, const struct ir_request *req);
/*
 * Makes the bundle in memory, from a compilation whose passes have all run.  False
 * after an error in the sink (a limit of the format), or with `c->internal` set: our
 * own output must be readable.
 */
bool compiled_open(struct compilation *c, struct bundle *ret);
/*
 * Asks the bundle.  False if the library has no answer for this kind of request;
 * then `why` says why and *ret is a deny.
 */
bool compiled_ask(struct bundle *b, const struct ir_request *req, struct arena *a,
		  struct decision *ret, const char **ret_why);
/* The same for a line or an argv, with what it may run, allocated in the arena. */
void compiled_line(struct bundle *b, const struct ir_request *req, struct arena *a,
		   struct cmd_line *ret_parts, struct decision *ret);
/* NULL, or how the two answers differ. */
const char *compiled_differs(const struct bundle *b, const struct eval_decision *e,
			     const struct ir_request *req, const struct decision *d,
			     struct arena *a);

/*
 * NULL, or where the answers about the parts of a line differ.  Both must have the
 * same parts, each with the same effect, rule and step.
 */
const char *compiled_parts_differ(const struct bundle *b, const struct ir_request *req,
				  const struct eval_decision *e,
				  const struct cmd_line *parts, struct arena *a);

#endif
