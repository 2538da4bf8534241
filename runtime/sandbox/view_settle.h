/* The third stage of a view: what the run gets. */
#ifndef RUNTIME_SANDBOX_VIEW_SETTLE_H
#define RUNTIME_SANDBOX_VIEW_SETTLE_H

#include "runtime/sandbox/view_place.h"

/* Sorts the places (outer before inner), looks at the host, and fills what the run gets
 * at each of them. */
int view_settle(struct view_builder *b);

#endif
