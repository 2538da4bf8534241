/*
 * Holds a run still while a person is asked at its terminal: two readers of one terminal
 * would share what is typed.
 */
#ifndef RUNTIME_APPROVALS_PAUSE_H
#define RUNTIME_APPROVALS_PAUSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct pause {
	pid_t *v; /* malloc'ed: what pause_begin() stopped, in this order */
	size_t n;
};

/* Is `pgrp` a process group of the run whose pid 1 is `init`? */
bool pause_owns_group(pid_t init, pid_t pgrp);
/*
 * Stops the run's pid 1, then those of its processes that have the terminal `device`,
 * parents first: a shell must not see that its job was stopped.  What cannot be stopped
 * goes on.
 */
void pause_begin(struct pause *p, pid_t init, uint32_t device);
/* Lets them go on, in the opposite order. */
void pause_end(struct pause *p);

#endif
