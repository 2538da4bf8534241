/* A hook as the settings have it.  Texts are never NULL but where it is said. */
#ifndef RUNTIME_HOOKS_HOOK_FOUND_H
#define RUNTIME_HOOKS_HOOK_FOUND_H

#include <stdbool.h>

struct hook_found {
	const char *event, *command;
	const char *matcher;  /* NULL: none */
	const char *status;   /* a text that is shown meanwhile, or NULL */
	double timeout;       /* as the settings count; < 0: none is given */
	const char *only_if;  /* a condition on which it is asked, or NULL */
	const char *name;     /* by which it may be switched off, or NULL: its command */
	bool fail_closed;     /* the agent denies where it fails or is late */
	bool odd;             /* it has something that is not read here */
	unsigned group, index; /* its place in the event's list */
};

#endif
