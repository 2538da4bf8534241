/*
 * Asks the kernel to tell of what happens to the walls' names and on the way to them (inotify(7)), and reads what it
 * tells.  For walls.c: an event only says that it is time to look.
 */
#ifndef RUNTIME_SUPERVISE_WALLS_WATCH_H
#define RUNTIME_SUPERVISE_WALLS_WATCH_H

#include <errno.h>
#include <stdbool.h>

#include "runtime/supervise/walls.h"

#define WALLS_POLL_MS 50 /* how often to look if no event tells of moves */

/* Not found, or reached only through a link. */
static inline bool walls_is_nowhere(int e)
{
	return e == ENOENT || e == ENOTDIR || e == ELOOP;
}

/* The way was closed (chmod): what nobody can reach shows nothing. */
static inline bool walls_is_closed(int e)
{
	return e == EACCES;
}

/* No event will tell of some change: the walls are looked at every WALLS_POLL_MS. */
void walls_look_often(struct walls *w);
/* Watches all walls for the first time. */
void walls_watch_names(struct walls *w);
/* Watches the walls again: a new directory on the way to an absent name, or a new link with the same text, is not the
 * object that was watched. */
void walls_watch_anew(struct walls *w);
/* Takes the events.  False: none of them concerns a wall.  Sets w->ways. */
bool walls_read_events(struct walls *w);

#endif
