/*
 * Holds a whole run still while the user is asked at its terminal.  A process that goes on could
 * read the answer, and write over the question: it only needs a descriptor of the terminal, not
 * the terminal itself.
 */
#ifndef RUNTIME_APPROVALS_PAUSE_H
#define RUNTIME_APPROVALS_PAUSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct pause_task; /* one thread of the run, as it stood still */

struct pause {
	pid_t init;           /* the run's pid 1, on the host; 0: nothing is held */
	pid_t *stopped;       /* malloc'ed: processes that had been stopped before */
	size_t nstopped;
	struct pause_task *v; /* malloc'ed */
	size_t n;
};

/* Is `pgrp` a process group of the run whose pid 1 is `init`? */
bool pause_owns_group(pid_t init, pid_t pgrp);
/*
 * Stops every process of the run but its pid 1, and waits until each of its threads stands still.
 * False if they do not: then nothing is held.
 */
bool pause_begin(struct pause *p, pid_t init);
/*
 * True if no thread of the run has run since pause_begin().  SIGSTOP alone does not promise that:
 * a process can ask the kernel for a SIGCONT (timer_create, F_SETSIG), and continues itself.
 */
bool pause_stands(const struct pause *p);
/* Continues what pause_begin() has stopped, children first: a shell must not see that its job was
 * stopped.  Safe if nothing is held.  False if the processes are not known, so that some stay
 * stopped. */
bool pause_end(struct pause *p);

#endif
