/*
 * Processes of the run with Landlock walls of their own.  The broker acts behind none of them, so it
 * serves such a process no more: the kernel answers, on the mount that the run sees.
 *
 * The walls are inherited by fork(2) and execve(2) and never taken down.  So is the mark that
 * tells them here: RLIMIT_LOCKS with a maximum of 0.  Linux has had no use for that limit since
 * 2.4.25, and nobody in a run can raise one.  It belongs to all threads of a process, while walls
 * may be those of one thread: the others are served no more either.
 */
#ifndef RUNTIME_BROKER_CONFINED_H
#define RUNTIME_BROKER_CONFINED_H

#include <stdbool.h>
#include <sys/types.h>

/* Marks the process of this thread.  0 or -errno. */
int confined_mark(pid_t pid);
/* Is it marked, or is that not known? */
bool confined_is(pid_t pid);

#endif
