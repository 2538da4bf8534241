/* polquery hook AGENT: one message of an agent in, its answer out. */
#ifndef RUNTIME_CLI_HOOK_H
#define RUNTIME_CLI_HOOK_H

#include <stddef.h>

#include "runtime/cli/query_options.h"

/* Of all four agents: a hook that ends so blocks the tool, and what it says on
 * stderr is shown. */
enum { HOOK_BLOCKS = 2 };

/*
 * Reads the message from stdin and answers on stdout, as the agent documents it:
 * allow, ask or deny with the reason, the rule and its place.  Returns the exit
 * status: 0 with an answer, HOOK_BLOCKS where the message is no message of this
 * agent's.  A bundle that cannot be used is a deny.
 */
int hook_run(const struct query_options *opt);
/*
 * What a message of `n` bytes would be answered, for the doctor: an effect
 * (runtime/bundle/format.h) and the reason, cut to `cap`.
 */
uint8_t hook_try(const struct query_options *opt, const char *text, size_t n, char *why,
		 size_t cap);

#endif
