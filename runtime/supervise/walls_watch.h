/*
 * The inotify(7) watches on the protected paths and on the directories above them, and the events that these watches
 * report.  For walls.c, to which an event only says that it is time to look.
 */
#ifndef RUNTIME_SUPERVISE_WALLS_WATCH_H
#define RUNTIME_SUPERVISE_WALLS_WATCH_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#include "runtime/sandbox/sandbox_view.h"

#define WALLS_POLL_MS 50 /* how often to look where inotify does not report every change */

/* The path is absent, or a symbolic link is on the way. */
static inline bool walls_is_nowhere(int e)
{
	return e == ENOENT || e == ENOTDIR || e == ELOOP;
}

/* The caller may not search a directory on the way: the path cannot be looked up. */
static inline bool walls_is_closed(int e)
{
	return e == EACCES;
}

enum { WALLS_NAME_BITS = 1 << 14 };

struct walls_watch {
	const struct sandbox_view *view;
	uint64_t names_on_way[WALLS_NAME_BITS / 64]; /* a bit for each component of the protected paths */
	int moves;  /* inotify: POLLIN; -1 if there is none */
	bool ways;  /* a watched object, or a directory above a path, has changed: watch the paths anew */
	bool often; /* for some change there will be no event: look every WALLS_POLL_MS */
};

/* Watches all protected paths for the first time. */
void walls_watch_begin(struct walls_watch *w, const struct sandbox_view *view);
/* Watches the protected paths again, except mounts.  inotify watches an object, not a name: a new directory on the
 * way to an absent path, or a new link with the same text, has no watch yet. */
void walls_watch_anew(struct walls_watch *w);
/* Reads the pending events.  False: none of them can concern a protected path.  Sets w->ways if the paths must be
 * watched anew. */
bool walls_watch_read(struct walls_watch *w);

#endif
