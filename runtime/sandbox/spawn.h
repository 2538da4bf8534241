/* The parts of sandbox_start() that tests reach without a bundle. */
#ifndef RUNTIME_SANDBOX_SPAWN_H
#define RUNTIME_SANDBOX_SPAWN_H

#include "runtime/sandbox/plan.h"
#include "runtime/sandbox/sandbox.h"

int sandbox_spawn(const struct sandbox_run *run, const struct sandbox_view *view,
		  const struct plan_policy *policy, struct sandbox_child *ret,
		  struct rt_err *err);

/* Who the run is, inside and on the host. */
struct sandbox_ids {
	uid_t uid_in, uid_out;
	gid_t gid_in, gid_out;
};

struct sandbox_ids sandbox_ids_of(const struct sandbox_run *run);
/* launch.c: polinit in its namespaces, with the first plan.  On failure nothing
 * is left.  The child inherits the descriptors `fds`. */
int sandbox_launch(const struct sandbox_run *run, const int *fds, size_t nfds,
		   struct sandbox_ahead *ret, struct rt_err *err);

/* root.c: detached, restricted, idmapped trees of a run as root. */
int root_trees(const struct sandbox_run *run, const struct sandbox_view *v,
	       uid_t outside, struct plan *p, int *given, struct rt_err *err);
/* why.c: why clone3() with a user namespace failed, in one line. */
int why_no_namespaces(int e, struct rt_err *err);

#endif
