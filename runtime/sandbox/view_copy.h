/* Which files a private tree begins with a copy of. */
#ifndef RUNTIME_SANDBOX_VIEW_COPY_H
#define RUNTIME_SANDBOX_VIEW_COPY_H

#include "runtime/sandbox/view_place.h"

/* Marks the files that git writes for its user (git-config(1), FILES).  After the
 * anchors.  0, or a failure in b->err. */
int view_copies(struct view_builder *b);

#endif
