/* What is known while a view is turned into a plan. */
#ifndef RUNTIME_SANDBOX_PLAN_BUILD_H
#define RUNTIME_SANDBOX_PLAN_BUILD_H

#include "runtime/sandbox/plan_ground.h"
#include "runtime/sandbox/sandbox.h"

enum plan_ground_kind {
	GROUND_ROOT, /* the new root's own tmpfs: we make the names */
	GROUND_OWN,  /* a scratch tree: we make the names */
	GROUND_HOST, /* a tree of the host: the names exist */
	GROUND_MASK  /* below a mask: the names were made with the mask */
};

/* The layers of a node. */
struct plan_staged {
	const struct sandbox_layer *layer; /* NULL: the node is not staged */
	uint32_t outer, lower;             /* slots: the upper layer's directory; the tree */
};

struct plan_build {
	struct plan *p;
	const struct sandbox_run *run;
	const struct sandbox_view *v;
	const int *given;
	int *parent;     /* index of the node above, or -1 */
	uint8_t *ground; /* enum plan_ground_kind of what each node shows */
	bool *full;      /* true for a mask with something visible below it */
	uint32_t *brokered; /* of a brokered node: the slot of its writable clone */
	struct plan_staged *staged; /* of a staged run, by node */
	char **made;     /* directories that exist already, unsorted */
	size_t nmade, made_cap;
	const char *source; /* the scratch directory in which names are made before it
	                       is mounted */
	size_t source_top;  /* length of the path at which it will be mounted */
	uint32_t slots;
	bool grounded; /* plan_ground() is done */
	bool anywhere; /* the run sees the host's root; its /dev and /proc are covered */
};

#endif
