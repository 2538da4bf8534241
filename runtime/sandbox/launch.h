/* Starts polinit in its namespaces. */
#ifndef RUNTIME_SANDBOX_LAUNCH_H
#define RUNTIME_SANDBOX_LAUNCH_H

#include "runtime/sandbox/sandbox.h"

/* Who the run is, inside and on the host. */
struct sandbox_ids {
	uid_t uid_in, uid_out;
	gid_t gid_in, gid_out;
};

struct sandbox_ids sandbox_ids_of(const struct sandbox_run *run);
/* Starts polinit with the first plan.  The child inherits the descriptors `fds`.  On
 * failure everything is undone. */
int sandbox_launch(const struct sandbox_run *run, const int *fds, size_t nfds,
		   struct sandbox_ahead *ret, struct rt_err *err);

#endif
