/* Other names of what rules restrict. */
#ifndef RUNTIME_SANDBOX_VIEW_BINDS_H
#define RUNTIME_SANDBOX_VIEW_BINDS_H

#include "runtime/sandbox/view_place.h"

/* Reads the mounts of the host, and adds the names that they give to what rules take away. */
int view_binds(struct view_builder *b);
/* The nodes are made: refuses (-EXDEV) a tree that can be written (read) and that another mount makes
 * a second name of one in which names are written (read) one by one. */
int view_binds_check(struct view_builder *b);

#endif
