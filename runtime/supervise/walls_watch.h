/*
 * The inotify(7) watches on the protected paths and on the directories above them, and the events that these watches
 * report.  For walls.c, to which an event only says that it is time to look.
 */
#ifndef RUNTIME_SUPERVISE_WALLS_WATCH_H
#define RUNTIME_SUPERVISE_WALLS_WATCH_H

#include <errno.h>
#include <stdbool.h>

#include "runtime/supervise/walls.h"

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

/* Sets poll_ms to WALLS_POLL_MS: for some change there will be no event. */
void walls_look_often(struct walls *w);
/* Watches all protected paths for the first time. */
void walls_watch_names(struct walls *w);
/* Watches the protected paths again, except mounts.  inotify watches an object, not a name: a new directory on the
 * way to an absent path, or a new link with the same text, has no watch yet. */
void walls_watch_anew(struct walls *w);
/* Reads the pending events.  False: none of them can concern a protected path.  Sets w->ways if the paths must be
 * watched anew. */
bool walls_read_events(struct walls *w);

#endif
