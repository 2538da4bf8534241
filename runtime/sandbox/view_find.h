/* Finds what the host has at the places of a view. */
#ifndef RUNTIME_SANDBOX_VIEW_FIND_H
#define RUNTIME_SANDBOX_VIEW_FIND_H

#include "runtime/sandbox/view_place.h"

/* Looks at the place's name on the host, once.  A name that has become a link counts as
 * missing. */
int view_find(const struct view_builder *b, struct view_place *p);
/* Takes an object, with its descriptor, that somebody has looked at already. */
void view_find_take(struct view_place *p, const struct view_object *object);
/* Looks at the mount point of a mounted tree.  -ENOENT: the host has nothing of the
 * tree's kind there. */
int view_find_mount_point(const struct view_builder *b, struct view_place *p);
/* Forgets the object, as if the caller could not look at it. */
void view_find_forget(struct view_place *p);
/*
 * For a run as root: is there a directory above `path` that a user who owns no files
 * cannot pass?  `ret_dir` is the first one.  Trees of the run's own do not count.
 */
bool view_beyond_reach(const struct view_builder *b, const char *path,
		       char ret_dir[4096]);

#endif
