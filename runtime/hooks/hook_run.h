/* Runs a hook's line as its agent runs it. */
#ifndef RUNTIME_HOOKS_HOOK_RUN_H
#define RUNTIME_HOOKS_HOOK_RUN_H

#include <stdbool.h>
#include <stddef.h>

#include "runtime/query/hook_agent.h"

enum { HOOK_RUN_SECONDS = 30, HOOK_RUN_MAX = 64 * 1024 };

struct hook_ran {
	int status;      /* as in a shell: 128 plus the number of a signal */
	bool late;       /* it was late and was killed */
	char *out, *err; /* with a NUL at the end; malloc'ed */
	size_t n, err_n;
};

/*
 * Gives `command` to the shell that the agent would use, with `text` on stdin, in this
 * directory and environment plus what the agent adds.  0, or -errno if it could not be
 * run.  Release it in either case.
 */
int hook_run_line(enum hook_agent agent, const char *command, const char *text,
		  size_t n, unsigned seconds, struct hook_ran *ret);
/* Sets the variables that the agent sets for its hooks, for a session that begins in the
 * current directory. */
void hook_run_surround(enum hook_agent agent);
/* Does the agent, started in this environment, run the lines of its model in zsh? */
bool hook_run_has_zsh(enum hook_agent agent);
void hook_run_release(struct hook_ran *r);

#endif
