/* Pins: mounts on the directories above a restriction. */
#ifndef RUNTIME_SANDBOX_PLAN_PINS_H
#define RUNTIME_SANDBOX_PLAN_PINS_H

#include "runtime/sandbox/sandbox.h"

static inline bool plan_node_writable(const struct sandbox_node *n)
{
	return (n->ops & PB_WRITE) && !n->masked && !n->locked;
}

/*
 * Directories of the writable tree, node `t`, that lie above a restriction:
 * without a mount on each, `mv dir x; mkdir -p dir/denied` would walk around
 * it.  The restriction may lie in a tree inside of this one.  `parent` is the
 * node above each, -1 none.  Returns how many; the list and its texts are the
 * caller's; `err` is set where memory ends.
 */
size_t plan_pins(const struct sandbox_view *v, const int *parent, size_t t, char ***ret,
		 int *err);

#endif
