/*
 * Changes a JSON file of settings and keeps its layout: every byte stays that is not part
 * of what is added or removed.
 */
#ifndef RUNTIME_HOOKS_HOOK_EDIT_H
#define RUNTIME_HOOKS_HOOK_EDIT_H

#include <stdbool.h>
#include <stddef.h>

#include "runtime/base/err.h"

/* A text of JSON with an object outside; `comments`: it may have those of JavaScript. */
struct hook_edit {
	char *text;  /* malloc'ed, with a NUL */
	size_t n;
	bool comments;
};

/* Replaces comments by blanks; a comment that does not end stays. */
void hook_edit_blank(char *text);
/* Adds NAME: VALUE (JSON) to the object below `path` (names of members, and "#K" for the
 * K-th thing of a list; ends with NULL) unless NAME is there.  0, or -errno with the reason: such an object is not there. */
int hook_edit_member(struct hook_edit *e, const char *const *path, const char *name,
		     const char *value, struct rt_err *err);
/* Adds VALUE at the end of the list below `path`. */
int hook_edit_append(struct hook_edit *e, const char *const *path, const char *value,
		     struct rt_err *err);
/* Removes the k-th element of that list, or (`name`) the member of that object. */
int hook_edit_remove(struct hook_edit *e, const char *const *path, const char *name,
		     size_t k, struct rt_err *err);
/* Removes that member if it is an object or list in which nothing stands, no comment either. */
int hook_edit_prune(struct hook_edit *e, const char *const *path, const char *name,
		    struct rt_err *err);

#endif
