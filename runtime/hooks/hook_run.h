/* A hook's line, run as its agent runs it. */
#ifndef RUNTIME_HOOKS_HOOK_RUN_H
#define RUNTIME_HOOKS_HOOK_RUN_H

#include <stdbool.h>
#include <stddef.h>

#include "runtime/query/hook_agent.h"

enum { HOOK_RUN_SECONDS = 30, HOOK_RUN_MAX = 64 * 1024 };

struct hook_ran {
	int status;      /* as a shell has it: 128 and the signal's number */
	bool late;       /* it was killed for that */
	char *out, *err; /* with a NUL behind each; malloc'ed */
	size_t n, err_n;
};

/*
 * Gives `command` to the shell that the agent would give it to, with `text` on stdin,
 * in this directory and environment with what the agent adds.  0, or -errno where it
 * could not be run.  To be released in either case.
 */
int hook_run_line(enum hook_agent agent, const char *command, const char *text,
		  size_t n, unsigned seconds, struct hook_ran *ret);
void hook_run_release(struct hook_ran *r);

#endif
