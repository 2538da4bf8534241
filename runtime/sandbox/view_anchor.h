/* What rules want at the places that their anchors name. */
#ifndef RUNTIME_SANDBOX_VIEW_ANCHOR_H
#define RUNTIME_SANDBOX_VIEW_ANCHOR_H

#include "runtime/sandbox/view_place.h"

/* Adds the anchor's wish at its path on the host and at its name.  A deny of a path that
 * cannot be resolved is an error. */
int view_add_anchor(struct view_builder *b, const struct view_anchor *a);
/* Denies writing the physical path of the anchor, which has VIEW_AF_FORCE, because `link` leads
 * there; `links` are further links on the way. */
int view_deny_target(struct view_builder *b, const struct view_anchor *a, const char *link,
		     const struct view_link *links, size_t n);

#endif
