/* The trees of a run as root, and the layers over them, which the child inherits. */
#ifndef RUNTIME_SANDBOX_ROOT_H
#define RUNTIME_SANDBOX_ROOT_H

#include "runtime/sandbox/plan.h"
#include "runtime/sandbox/sandbox.h"

/*
 * Makes the detached, restricted, idmapped trees.  `outside` is the run's uid on the
 * host; given[i] becomes the descriptor of node i, which the plan owns, or -1.  After those
 * of the nodes come those of run->layers.
 */
int root_trees(const struct sandbox_run *run, const struct sandbox_view *v,
	       uid_t outside, struct plan *p, int *given, struct rt_err *err);

#endif
