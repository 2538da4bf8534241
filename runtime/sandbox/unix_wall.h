/*
 * The wall around the host's abstract sockets for a run in the host's network
 * where Landlock has no scope for them (before ABI 6): a second filter, by
 * which the run makes no unix sockets but connected pairs.  More than the
 * policy forbids, and the report says so.
 */
#ifndef RUNTIME_SANDBOX_UNIX_WALL_H
#define RUNTIME_SANDBOX_UNIX_WALL_H

#include "runtime/base/err.h"

/*
 * Whether that is a wall here: pairs stay connected whatever is done to them,
 * and no unconnected unix socket is on descriptors 0 to 2.  0 or -errno.
 */
int unix_wall_check(struct rt_err *err);

#endif
