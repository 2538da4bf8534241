/* The supervisor's own walls, from the moment that the command runs. */
#ifndef RUNTIME_SUPERVISE_CONFINE_H
#define RUNTIME_SUPERVISE_CONFINE_H

#include "runtime/base/err.h"

/* not dumpable, no_new_privs, and a filter that knows no execve, no socket, no
 * open and no openat.  Cannot be undone. */
int confine_self(struct rt_err *err);

#endif
