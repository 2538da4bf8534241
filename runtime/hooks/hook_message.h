/*
 * The messages that agents give to a hook before they use a tool, as requests.
 * hook_tools.c names the pages on which the protocols are documented.
 */
#ifndef RUNTIME_HOOKS_HOOK_MESSAGE_H
#define RUNTIME_HOOKS_HOOK_MESSAGE_H

#include "runtime/query/hook_agent.h"
#include "runtime/query/query_request.h"

struct query_json; /* json-c's names are also those of runtime/base/json.h */

enum {
	HOOK_MAX_REQUESTS = 256, /* of one message: a patch of so many files is denied */
	HOOK_MAX_MESSAGE = 16 * 1024 * 1024,
};

struct hook_message {
	enum hook_agent agent;
	const char *event;   /* static: as the agent names it */
	bool can_ask;        /* an answer "ask" has a meaning for this event */
	const char *mode;    /* the permission mode in which it has none, or NULL */
	struct query_json *json; /* the message as it was read; owned, as all below */
	/* What the tool would do: it may where each of these may. */
	struct query_request *requests;
	size_t n;
	char **kept;         /* malloc'ed texts */
	size_t nkept;
	const char *odd;     /* a field that this version does not know, or NULL: then
	                      * nothing is allowed */
};

/* The k-th event for which the agent's settings name the hook; static, or NULL. */
const char *hook_agent_event(enum hook_agent agent, size_t k);
/*
 * Reads `n` bytes, text[n] being NUL, which stay in use.  False with a message where it is none of this
 * agent's before a tool, or says too little of what the tool would do; then
 * ret->event is set as far as it is known (else NULL).  `fields` (a list that ends
 * with NULL, or NULL) are names that whoever installed the hook says to ignore.
 * hook_message_release() in either case.
 */
bool hook_message_read(enum hook_agent agent, const char *text, size_t n,
		       char *const *fields, struct hook_message *ret, struct rt_err *err);
void hook_message_release(struct hook_message *m);

#endif
