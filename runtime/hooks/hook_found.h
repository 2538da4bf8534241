/* A hook as the settings describe it.  Texts are never NULL unless it says so. */
#ifndef RUNTIME_HOOKS_HOOK_FOUND_H
#define RUNTIME_HOOKS_HOOK_FOUND_H

#include <stdbool.h>

struct hook_found {
	const char *event, *command;
	const char *matcher;  /* NULL: no matcher */
	const char *status;   /* text that is shown while the hook runs, or NULL */
	double timeout;       /* in the unit of the settings; < 0: not given */
	const char *only_if;  /* condition for running the hook, or NULL */
	const char *name;     /* name by which it can be switched off; NULL: its command */
	bool fail_closed;     /* the agent denies if the hook fails or is late */
	bool odd;             /* it has a field that we do not read */
	unsigned group, index; /* its position in the event's list */
};

#endif
