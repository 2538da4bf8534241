/* The parts of sandbox_start() that tests reach without a bundle. */
#ifndef RUNTIME_SANDBOX_SPAWN_H
#define RUNTIME_SANDBOX_SPAWN_H

#include "runtime/sandbox/plan.h"
#include "runtime/sandbox/sandbox.h"

int sandbox_spawn(const struct sandbox_run *run, const struct sandbox_view *view,
		  const struct plan_policy *policy, struct sandbox_child *ret,
		  struct rt_err *err);

/* root.c: detached, restricted, idmapped trees of a run as root. */
int root_trees(const struct sandbox_run *run, const struct sandbox_view *v,
	       uid_t outside, struct plan *p, int *given, struct rt_err *err);
/* why.c: why clone3() with a user namespace failed, in one line. */
int why_no_namespaces(int e, struct rt_err *err);

#endif
