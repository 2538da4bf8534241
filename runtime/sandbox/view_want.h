/* The first stage of a view: what is wanted. */
#ifndef RUNTIME_SANDBOX_VIEW_WANT_H
#define RUNTIME_SANDBOX_VIEW_WANT_H

#include "runtime/sandbox/view_place.h"

/* Adds every place that the anchors, the mounts, the run and git name, and the links to
 * them. */
int view_want(struct view_builder *b);

#endif
