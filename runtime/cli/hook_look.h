/* One command in an agent's settings: is it our hook, does it answer, does it fail
 * closed?  Parts of `polquery doctor`; nothing of the settings is run. */
#ifndef RUNTIME_CLI_HOOK_LOOK_H
#define RUNTIME_CLI_HOOK_LOOK_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/cli/hook_message.h"
#include "runtime/cli/hook_trust.h"

enum { HOOK_SHOWN = 600 };

struct hook_look {
	enum hook_agent agent;
	const char *file;
	unsigned found; /* hooks */
	char *tried;    /* the last command that was asked */
	bool good;      /* each answers and fails closed */
	bool system;    /* `file` is of the system */
	bool project;   /* … in the working directory */
	bool managed_only;
	unsigned managed; /* hooks in files of the system */
	uint32_t events;  /* bit k: of the agent's k-th event */
	struct hook_trust trust; /* Codex's */
};

/* A hook as the settings have it.  Texts are never NULL but where it is said. */
struct hook_found {
	const char *event, *command;
	const char *matcher;  /* NULL: none */
	const char *status;   /* a text that is shown meanwhile, or NULL */
	double timeout;       /* in seconds; < 0: none is given */
	bool fail_closed;     /* the agent denies where it fails or is late */
	bool odd;             /* it has something that is not read here */
	unsigned group, index; /* its place in the event's list */
};

/* One line: the agent, `text`, and `more`, which came from a file. */
void hook_say(const struct hook_look *l, const char *text, const char *more);
/* Clears l->good where `h` is our hook and would not deny as it should; another
 * agent's or program's command is passed over. */
void hook_look_at(struct hook_look *l, const struct hook_found *h);

#endif
