/* The parent's half of the start.  It needs no bundle. */
#ifndef RUNTIME_SANDBOX_SPAWN_H
#define RUNTIME_SANDBOX_SPAWN_H

#include "runtime/sandbox/plan.h"
#include "runtime/sandbox/sandbox.h"

/* Writes the plan, starts polinit or takes the one that was started ahead, and returns
 * when all is set up: see sandbox_start(). */
int sandbox_spawn(const struct sandbox_run *run, const struct sandbox_view *view,
		  const struct plan_policy *policy, struct sandbox_child *ret,
		  struct rt_err *err);

/*
 * Sends the plan of the view to the polinit that was started ahead, so that it works
 * while polrun looks the program up.  0 or -errno: then that polinit is of no use.
 */
int sandbox_spawn_view(const struct sandbox_run *run, const struct sandbox_view *view,
		       const struct plan_policy *policy, struct rt_err *err);

#endif
