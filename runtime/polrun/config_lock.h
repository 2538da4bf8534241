/*
 * Did git try to write a configuration that the floor keeps?  git writes config.lock and
 * renames it over config; when that fails it prints an error and goes on, often with status
 * 0 (`git checkout -b x --track origin/y`).  An inotify descriptor that nobody polls keeps
 * the names that were made beside each such file, which costs the run next to nothing.
 */
#ifndef RUNTIME_POLRUN_CONFIG_LOCK_H
#define RUNTIME_POLRUN_CONFIG_LOCK_H

#include "runtime/bundle/reader.h"
#include "runtime/sandbox/sandbox_view.h"
#include "runtime/supervise/close_later.h"
#include "runtime/supervise/denials.h"

#define CONFIG_LOCKS 16

struct config_lock {
	int fd;
	struct close_later later; /* an inotify descriptor takes long to close */
	size_t n;
	struct {
		int wd;
		size_t node; /* of the view */
	} v[CONFIG_LOCKS];
};

#define CONFIG_LOCK_NONE { .fd = -1, .later = CLOSE_LATER_NONE }

/* Call it before the command runs.  Without inotify nothing is noticed. */
void config_lock_begin(struct config_lock *l, const struct bundle *b, const struct sandbox_view *v);
/* Call it after its end: adds a denial for each file that git tried to write. */
void config_lock_end(struct config_lock *l, const struct sandbox_view *v, struct denials *d);

#endif
