/*
 * Confines the two processes that ask about connections.  What they read comes from the
 * run: names, command lines, and what is typed while they ask.
 */
#ifndef RUNTIME_APPROVALS_ASK_CONFINE_H
#define RUNTIME_APPROVALS_ASK_CONFINE_H

#include <stdbool.h>

#include "runtime/base/err.h"

/*
 * The process that asks: the terminal, the answers in `dir` and reading /proc, but no other
 * file (Landlock); no program, no new process, no signal to others, no socket but, with
 * `socket`, a unix one; nothing can be typed into the terminal (TIOCSTI).
 */
int ask_confine(const char *dir, bool socket, struct rt_err *err);
/* The process that looks: files for reading only, the signals STOP and CONT and those for a run's pid 1
 * (SANDBOX_HOLD and the next), and nothing else.  Landlock would keep it from the run's processes. */
int look_confine(struct rt_err *err);

#endif
