/* A message that an agent gave to a hook before it uses a tool, as requests. */
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

/* Also of one that could not be read. */
void hook_message_release(struct hook_message *m);

#endif
