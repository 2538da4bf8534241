/* What a process of the host could take away from a view. */
#ifndef RUNTIME_SANDBOX_VIEW_WALLS_H
#define RUNTIME_SANDBOX_VIEW_WALLS_H

#include "runtime/sandbox/view_place.h"

/* Finds the walls among the settled places, and adds them to b->out, whose nodes exist
 * already. */
int view_walls(struct view_builder *b);

#endif
