/* polquery hook AGENT: reads one message of an agent and writes the answer. */
#ifndef RUNTIME_HOOKS_HOOK_H
#define RUNTIME_HOOKS_HOOK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/query/query_options.h"

/* For all agents: a hook that exits with this status blocks the tool, and the
 * agent shows what the hook wrote on stderr. */
enum { HOOK_BLOCKS = 2 };

/*
 * Reads the message from stdin and answers on stdout, in the format that the agent
 * documents: allow, ask or deny with the reason, the rule and its place.  Returns the
 * exit status: 0 with an answer, HOOK_BLOCKS if this is not a message of this agent.
 * If the bundle cannot be used, the answer is deny.
 */
int hook_run(const struct query_options *opt);
struct hook_answer {
	char *text;     /* one line of JSON with its newline, malloc'ed; or NULL */
	size_t n;
	char why[1024]; /* why there is no text */
};
struct query;
/*
 * The same for a message of `n` bytes (text[n] is NUL), without reading or writing.
 * Uses `q`, or if that is NULL the bundle that `opt` names.
 */
int hook_answer(const struct query_options *opt, struct query *q, const char *text,
		size_t n, struct hook_answer *ret);
/*
 * Refuses (-EPERM) a bundle, that of --run and a list of signers that the bundle lets an agent in
 * `project` write.  `q` decides under the bundle.  -EINVAL: that is not known.
 */
int hook_check_believed(const struct query_options *opt, struct query *q, const char *project,
			struct rt_err *err);
/*
 * For the doctor: what a message of `n` bytes would be answered, as an effect
 * (runtime/bundle/format.h) and the reason, cut to `cap`.  False: nothing was decided
 * (no bundle, no message), which counts as deny.
 */
bool hook_try(const struct query_options *opt, const char *text, size_t n,
	      uint8_t *ret_effect, char *why, size_t cap);

#endif
