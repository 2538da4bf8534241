/* The supervisor's own walls, from the moment when the command starts. */
#ifndef RUNTIME_SUPERVISE_CONFINE_H
#define RUNTIME_SUPERVISE_CONFINE_H

#include <stddef.h>

#include "runtime/base/err.h"

/* Makes the process not dumpable, sets no_new_privs, and loads a filter.  execve,
 * making a socket or a process, open, openat, and openat2 relative to the working
 * directory end the process.  openat2 from a descriptor is allowed, and calls that are
 * not listed are refused with EPERM.  `broker`: the `n` calls of runtime/broker, which
 * are then allowed, and so is giving a caller a descriptor.  Cannot be undone. */
int confine_self(const int *broker, size_t n, struct rt_err *err);

/*
 * Releases the program's read-only pages: most of them were needed only for the set-up.
 * The kernel reads them again from the page cache when they are touched.
 */
void drop_program_pages(void);

#endif
