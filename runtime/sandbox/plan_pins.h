/* Pins: mounts on the directories above a restriction. */
#ifndef RUNTIME_SANDBOX_PLAN_PINS_H
#define RUNTIME_SANDBOX_PLAN_PINS_H

#include "runtime/sandbox/sandbox.h"

static inline bool plan_node_writable(const struct sandbox_node *n)
{
	return (sandbox_node_native(n) & PB_WRITE) && !n->masked && !n->locked;
}

/*
 * Lists the directories of the writable tree at node `t` that lie above a restriction.
 * Without a mount on each, `mv dir x; mkdir -p dir/denied` would get around it.  The
 * restriction may lie in another tree inside this one.  `parent[i]` is the node above
 * node i, or -1.  Returns the number of directories; the caller owns the list and its
 * strings.  `err` is set when memory runs out.
 */
size_t plan_pins(const struct sandbox_view *v, const int *parent, size_t t, char ***ret,
		 int *err);

#endif
