/* What a view remembers about links of the host. */
#ifndef RUNTIME_SANDBOX_VIEW_LINK_H
#define RUNTIME_SANDBOX_VIEW_LINK_H

#include "runtime/sandbox/view_place.h"

/* Adds a link to the run's own trees. */
int view_add_link(struct view_builder *b, const char *path, const char *target);
/* Copies the link at `path` on the host into the view. */
int view_copy_link(struct view_builder *b, const char *path);
/* Notes that the object at `real` is also called `path`; a deny of that name then
 * holds, but an allow only if `rule` `lends`: see struct view_alias. */
int view_add_alias(struct view_builder *b, const char *path, const char *real,
		   uint32_t rule, bool lends);
/* Notes that the link must not change during the run. */
int view_guard_link(struct view_builder *b, const struct view_link *link, uint32_t rule);
/*
 * True if no run can have made the link, because no run can write where it lies.  What
 * lies on the host under a private tree's name is out of reach of every run, unless a
 * rule shows it (the project may lie in it).
 */
bool view_link_is_foreign(const struct view_builder *b, const char *path);

#endif
