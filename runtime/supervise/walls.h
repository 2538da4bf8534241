/*
 * Watches what a process of the host can take away from a running sandbox.
 * Masks, read-only names and pins are mounts on names of the host: rename(2)
 * over such a name, unlink(2) and rmdir(2) of it detach the mount in every
 * mount namespace (Linux 3.18, __detach_mounts()), and a mount goes along with
 * a name, or a directory above it, that is moved.  The file that then has the
 * name has no wall.
 *
 * A detach wakes poll(POLLPRI) on /proc/PID/mountinfo (proc(5)).  What is moved
 * away, what appears at a name that is hidden and was absent, and a link that
 * is made anew tell inotify(7).  Whichever wakes the supervisor, each wall is
 * looked at by its name inside, by a descriptor of the sandbox's root: a mount
 * by its id (statx(2), Linux 5.8), nothing, or the same link.
 */
#ifndef RUNTIME_SUPERVISE_WALLS_H
#define RUNTIME_SUPERVISE_WALLS_H

#include "runtime/sandbox/sandbox.h"

struct walls {
	const struct sandbox_view *view;
	uint64_t *id;   /* of view->walls[i], a mount */
	int root;       /* O_PATH, the sandbox's "/" */
	int mountinfo;  /* of pid 1 inside: POLLPRI; holds its namespace; -1: the run
	                   had no walls to watch, or had ended when it was begun */
	int moves;      /* inotify: POLLIN; -1 where there is none */
	int poll_ms;    /* as poll(2) takes it: -1, or how often to look */
	bool often;     /* not every change can be told of */
	bool blind;     /* the last look was refused: a way was closed */
};

#define WALLS_STAND SIZE_MAX

/*
 * From then on a wall that goes is seen.  To be called before confine_self().
 * Without inotify (its limits, a directory that the caller may not read) the
 * walls are looked at every poll_ms.
 */
int walls_init(struct walls *w, const struct sandbox_view *view,
	       const struct sandbox_child *child, struct rt_err *err);
void walls_release(struct walls *w);

/*
 * After POLLPRI or POLLIN, or poll_ms.  *ret is the first of view->walls that
 * has gone, or WALLS_STAND.  0 or -errno: it could not be looked at.
 */
int walls_check(struct walls *w, size_t *ret);

/*
 * While polrun is stopped (job control, or somebody's kill -STOP) nobody polls:
 * with `on` each change sends it SIGCONT, whose si_code is then one of POLL_IN to
 * POLL_HUP (fcntl(2), F_SETSIG).  False: it cannot be told, and polrun must not stop.
 */
bool walls_wake(const struct walls *w, bool on);

/* How the report speaks of it. */
const char *walls_mechanism(const struct walls *w);

#endif
