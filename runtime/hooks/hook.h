/* polquery hook AGENT: one message of an agent in, its answer out. */
#ifndef RUNTIME_HOOKS_HOOK_H
#define RUNTIME_HOOKS_HOOK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/query/query_options.h"

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
struct hook_answer {
	char *text;     /* one line of JSON with its newline, malloc'ed; or NULL */
	size_t n;
	char why[1024]; /* there is none */
};
struct query;
/*
 * The same of a message of `n` bytes, text[n] being NUL, without reading or writing:
 * under `q`, or where that is NULL under the bundle that `opt` names.
 */
int hook_answer(const struct query_options *opt, struct query *q, const char *text,
		size_t n, struct hook_answer *ret);
/*
 * What a message of `n` bytes would be answered, for the doctor: an effect
 * (runtime/bundle/format.h) and the reason, cut to `cap`.  false: nothing was decided
 * (no bundle, no message), which is a deny.
 */
bool hook_try(const struct query_options *opt, const char *text, size_t n,
	      uint8_t *ret_effect, char *why, size_t cap);

#endif
