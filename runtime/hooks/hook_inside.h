/* The line that an agent is handed back, so that what it asked for runs under polrun. */
#ifndef RUNTIME_HOOKS_HOOK_INSIDE_H
#define RUNTIME_HOOKS_HOOK_INSIDE_H

#include <limits.h>
#include <stdbool.h>

#include "runtime/base/err.h"

/* All paths are absolute. */
struct hook_inside {
	const char *polrun, *bundle, *signers; /* signers: or NULL */
	const char *project; /* that of the message: a line that runs elsewhere gets no other */
	const char *cwd;     /* where the agent runs the line, without symbolic links */
	bool require_signed;
	bool yes;            /* a person has answered what the policy asks */
	bool keeps_cwd;      /* the agent's shell passes its directory on to the next line, … */
	bool follows_cd;     /* … which has the same project in every directory of it */
};

enum { HOOK_INSIDE_MAX = 120 * 1024 }; /* of a line: the kernel takes 128 KiB as one word */

/*
 * Writes the line; malloc'ed.  NULL with the reason if it cannot be run inside.  Every
 * byte of `line` is quoted, and polrun gives exactly these bytes to the shell of the
 * policy's dialect, so that no other shell reads them.
 *
 * If the agent keeps its shell's directory, a line that begins with "cd DIR" (in the
 * project) and changes it nowhere else is followed by the same "cd", outside.  A line that is one background
 * list is put into the background outside: in polrun it would end at once.
 */
char *hook_inside_line(const struct hook_inside *how, const char *line, struct rt_err *err);
/* Finds the polrun beside this program.  0 or -errno with the reason: also if this is already inside a run. */
int hook_inside_polrun(char out[PATH_MAX], struct rt_err *err);

#endif
