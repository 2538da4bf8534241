/* A message that an agent gives to a hook before it uses a tool, translated into
 * requests. */
#ifndef RUNTIME_HOOKS_HOOK_MESSAGE_H
#define RUNTIME_HOOKS_HOOK_MESSAGE_H

#include "runtime/query/hook_agent.h"
#include "runtime/query/query_request.h"

struct json_object;
struct query_json; /* json-c uses some of the names in runtime/base/json.h */

enum {
	HOOK_MAX_REQUESTS = 256, /* limit for one message: a patch of more files is
	                            denied */
	HOOK_MAX_MESSAGE = 16 * 1024 * 1024,
};

struct hook_message {
	enum hook_agent agent;
	const char *event;   /* static: the agent's name for the event */
	bool is_question;    /* the agent would ask a person now, and asks no more if the hook answers */
	bool can_ask;        /* the answer "ask" has an effect for this event */
	const char *mode;    /* the permission mode in which it has none, or NULL */
	struct query_json *json; /* the parsed message; owned, like everything below */
	/* What the tool would do.  It is allowed if each of these is allowed. */
	struct query_request *requests;
	size_t n;
	const char *cwd;     /* plain path: where the agent works; NULL if it was not read */
	const char *session; /* the client's id of the session, or NULL */
	const char *root;    /* where the client says that the session began; plain, or NULL */
	const char *line;    /* the line that a shell would run, in whose place another may be handed
	                        back: the message asks for this alone; or NULL */
	struct json_object *input; /* the tool's input, an object, or NULL */
	char **kept;         /* malloc'ed texts */
	size_t nkept;
	/* Either of these makes the answer "ask" at best: */
	const char *odd;     /* a field that this version does not know, or NULL */
	const char *asks;    /* static: why a person is asked about a known field's value,
	                        or NULL */
};

/* The tool's input as JSON, with another line; malloc'ed.  With `alone` it has nothing but
 * the line.  NULL: it is no text of UTF-8, or memory ran out. */
char *hook_message_input(const struct hook_message *m, const char *line, bool alone);
/* Also works for a message that could not be read. */
void hook_message_release(struct hook_message *m);

#endif
