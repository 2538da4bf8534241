/* Trees of the host that are mounted at another place. */
#ifndef RUNTIME_SANDBOX_VIEW_MOUNT_H
#define RUNTIME_SANDBOX_VIEW_MOUNT_H

#include "runtime/sandbox/view_place.h"

/* Adds the mounted trees; fails if a mount point is impossible. */
int view_mounts(struct view_builder *b);
/* Copies what is wanted below each mounted tree to its mount point, with what has been
 * added since the last time. */
int view_mirror(struct view_builder *b);

#endif
