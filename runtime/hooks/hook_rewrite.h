/* One file of an agent's settings, which is shown, asked about and replaced. */
#ifndef RUNTIME_HOOKS_HOOK_REWRITE_H
#define RUNTIME_HOOKS_HOOK_REWRITE_H

#include <limits.h>
#include <sys/types.h>

#include "runtime/hooks/hook_edit.h"

struct hook_rewrite {
	char path[PATH_MAX];  /* without symbolic links */
	struct hook_edit old; /* set `comments` before it is read */
	bool missing;         /* there is no such file: the old text is an empty object */
	mode_t mode;
};

/* Reads the file.  0, or -errno with the reason: it is no file of this user alone, or has a
 * second name. */
int hook_rewrite_read(struct hook_rewrite *f, const char *path, struct rt_err *err);
/* Shows the difference and asks; then replaces the file by another one with this text and
 * the same mode.  0; 1 if it is not to be changed; 2 with the reason. */
int hook_rewrite(const struct hook_rewrite *f, const struct hook_edit *new, bool yes,
		 struct rt_err *err);
/* The same, and removes the file. */
int hook_rewrite_remove(const struct hook_rewrite *f, bool yes, struct rt_err *err);
/* Says why nothing is changed, and what to write by hand if there is a line. */
void hook_rewrite_refuse(const struct hook_rewrite *f, const char *path,
			 const struct rt_err *err, const char *line);
void hook_rewrite_release(struct hook_rewrite *f);

#endif
