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
/* launch.c: starts polinit in its namespaces with the first plan.  The child inherits
 * the descriptors `fds`.  On failure everything is undone. */
int sandbox_launch(const struct sandbox_run *run, const int *fds, size_t nfds,
		   struct sandbox_ahead *ret, struct rt_err *err);

/* root.c: makes the detached, restricted, idmapped trees of a run as root. */
int root_trees(const struct sandbox_run *run, const struct sandbox_view *v,
	       uid_t outside, struct plan *p, int *given, struct rt_err *err);
/* why.c: says in one line why clone3() with a user namespace failed. */
int why_no_namespaces(int e, struct rt_err *err);

#endif
