/*
 * Watches what a process of the host can take away from a running sandbox.  Masks,
 * read-only names and pins are mounts on names of the host.  rename(2) over such a
 * name, and unlink(2) or rmdir(2) of it, detach the mount in every mount namespace
 * (Linux 3.18, __detach_mounts()).  If the name or a directory above it is moved, the
 * mount moves along.  In both cases the name is then without a wall.  A detach wakes
 * poll(POLLPRI) on /proc/PID/mountinfo (proc(5)).  inotify(7) reports when something is
 * moved away, when something appears at a name that was absent and is hidden, and when
 * a link is made again.  After each event the supervisor looks at every wall by its
 * name inside, starting at a descriptor of the sandbox's root: there must be the mount
 * with the same id (statx(2), Linux 5.8), nothing, or the same link.  Where the run has closed the
 * way to that name: walls_way.h.
 *
 * A name that is denied in a brokered tree has no mount, and whatever is there is not
 * written by it.  But what appears at such a name must not be something that the run can
 * write by other means: walls_name.h.
 */
#ifndef RUNTIME_SUPERVISE_WALLS_H
#define RUNTIME_SUPERVISE_WALLS_H

#include <stdint.h>

#include "runtime/sandbox/sandbox.h"
#include "runtime/supervise/close_later.h"
#include "runtime/supervise/walls_name.h"
#include "runtime/supervise/walls_way.h"

enum { WALLS_NAME_BITS = 1 << 14 };

struct walls {
	const struct sandbox_view *view;
	uint64_t names_on_way[WALLS_NAME_BITS / 64]; /* a bit for each name in a wall's path */
	uint64_t *id;   /* mount id of view->walls[i] */
	int root;       /* O_PATH, the sandbox's "/" */
	int mountinfo;  /* of pid 1 inside: POLLPRI.  Keeps its mount namespace alive.
	                   -1: the run had no walls to watch, or had already ended */
	int moves;      /* inotify: POLLIN; -1 if there is none */
	struct close_later later; /* for the three above */
	struct walls_way way;
	struct walls_run names; /* the caller sets `held` and `strict` */
	bool doubt;       /* the last look found a file that may be the run's */
	int64_t doubt_ms; /* since when there is one; 0: there is none */
	int poll_ms;    /* timeout for poll(2): -1, or how often to look */
	bool ways;      /* something on the way to a wall has changed: it is watched anew */
	bool noted;     /* the first look has been: `id` holds the mounts */
	bool often;     /* some changes cannot be reported by events */
	bool blind;     /* the last look was refused because a way was closed */
};

#define WALLS_STAND SIZE_MAX
#define WALLS_NONE { .root = -1, .mountinfo = -1, .moves = -1, .later = CLOSE_LATER_NONE, \
		     .way = WALLS_WAY_NONE, .poll_ms = -1 }

/*
 * Watches the names on the host, if that is not done yet, and opens the sandbox's mounts.
 * From the first walls_check() on, the loss of a wall is seen.  Without inotify (because
 * of its limits, or a directory that the caller may not read) the walls are looked at
 * every poll_ms.  Call it before confine_self().
 */
int walls_init(struct walls *w, const struct sandbox_view *view,
	       const struct sandbox_child *child, struct rt_err *err);
/*
 * struct sandbox_run.meanwhile for a struct walls whose view is set: watches the names,
 * and looks for the first time as soon as polinit has made the mounts.  A failure, or a
 * wall that has gone, is found again by the calls above and by walls_check().
 */
void walls_meanwhile(void *walls, pid_t init_pid, int init_pidfd);
/* True if the first look found every wall and nothing has changed since. */
bool walls_stand_yet(struct walls *w);
/* Has anything reported a change since the last look that could concern a wall?  Takes the events.  What
 * happens to other names in a watched directory does not count.  If poll() fails, the answer is yes. */
bool walls_changed(struct walls *w);
void walls_release(struct walls *w);

/*
 * Call it after POLLPRI or POLLIN, or every poll_ms.  *ret is the first wall of
 * view->walls that has gone, or WALLS_STAND.  0, or -errno if it could not look.  The
 * first call notes the mounts that the set-up has made.
 */
int walls_check(struct walls *w, size_t *ret);

/*
 * While polrun is stopped (job control, or somebody's kill -STOP) nobody polls.  With
 * `on` each change sends polrun SIGCONT, whose si_code is then one of POLL_IN to
 * POLL_HUP (fcntl(2), F_SETSIG).  False: no signal is possible, and polrun must not
 * stop.
 */
bool walls_wake(const struct walls *w, bool on);

/* The mechanism's name in the report. */
const char *walls_mechanism(const struct walls *w);

#endif
