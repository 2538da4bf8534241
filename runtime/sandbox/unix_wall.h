/*
 * Protects the host's abstract sockets from a run in the host's network if Landlock has
 * no scope for them (before ABI 6): a second filter lets the run make no unix sockets
 * except connected pairs.  This forbids more than the policy does, and the report says
 * so.
 */
#ifndef RUNTIME_SANDBOX_UNIX_WALL_H
#define RUNTIME_SANDBOX_UNIX_WALL_H

#include "runtime/base/err.h"

/*
 * Checks that this filter is enough here: pairs stay connected whatever is done to
 * them, and descriptors 0 to 2 hold no unconnected unix socket.  0 or -errno.
 */
int unix_wall_check(struct rt_err *err);

#endif
