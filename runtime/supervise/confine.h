/* The supervisor's own walls, from the moment that the command runs. */
#ifndef RUNTIME_SUPERVISE_CONFINE_H
#define RUNTIME_SUPERVISE_CONFINE_H

#include "runtime/base/err.h"

/* Not dumpable, no_new_privs, and a filter: execve, a socket, a new process,
 * open, openat and openat2 from the working directory end the process, openat2
 * from a descriptor is left, and what is not listed is refused with EPERM.
 * Cannot be undone. */
int confine_self(struct rt_err *err);

/*
 * What the set-up needed of the program is not needed while one waits: its
 * read-only pages come back from the page cache when they are touched.
 */
void drop_program_pages(void);

#endif
