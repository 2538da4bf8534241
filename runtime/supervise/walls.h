/*
 * Watches the protected paths that a process of the host can take away from a running
 * sandbox.  The code calls each of them a wall; enum sandbox_wall_kind has their kinds.
 *
 * Masks, read-only paths and bind mounts of a path over itself are mounts on names of the
 * host.  rename(2) over such a name, and unlink(2) or rmdir(2) of it, detach the mount in
 * every mount namespace (Linux 3.18, __detach_mounts()).  If the name or a directory above
 * it is moved, the mount moves along.  In both cases nothing protects the path any more.
 * A detach wakes poll(POLLPRI) on /proc/PID/mountinfo (proc(5)).  inotify(7) reports when
 * an object is moved away, when an object appears at a hidden path that was absent, and
 * when a link is made again.  After each event the supervisor looks up every protected
 * path in the sandbox, from a descriptor of the sandbox's root.  It must find the mount
 * with the same id (statx(2), Linux 5.8), or nothing, or the same link, depending on the
 * kind.  walls_way.h is for paths that the supervisor cannot look up, because the run has
 * closed a directory above them.
 *
 * A name that is denied in a brokered directory has no mount: the broker refuses to open it
 * for writing.  But a process of the host can put a file there that the run can write by
 * other means: walls_name.h.
 */
#ifndef RUNTIME_SUPERVISE_WALLS_H
#define RUNTIME_SUPERVISE_WALLS_H

#include <stdint.h>

#include "runtime/sandbox/sandbox.h"
#include "runtime/supervise/close_later.h"
#include "runtime/supervise/walls_name.h"
#include "runtime/supervise/walls_watch.h"
#include "runtime/supervise/walls_way.h"

struct walls {
	const struct sandbox_view *view;
	uint64_t *id;   /* of view->walls[i]: the mount's id, or the number of the file at a denied name */
	int root;       /* O_PATH, the sandbox's "/" */
	int mountinfo;  /* of pid 1 inside: POLLPRI.  Keeps its mount namespace alive.
	                   -1: the run had no protected paths, or had already ended */
	struct close_later later; /* of root, mountinfo and watch.moves */
	struct walls_watch watch;
	struct walls_way way;
	struct walls_run names; /* the caller sets `held` and `strict` */
	bool doubt;       /* undecided: the last look found a file that the run may be able to write */
	int64_t doubt_ms; /* when a look first found such a file; 0: the last look found none */
	uid_t uid;        /* the run's on the host, which the caller sets; 0: everything is within its reach */
	int poll_ms;    /* timeout for poll(2): -1, or how often to look */
	bool noted;     /* the first look is over: `id` is set */
	bool blind;     /* the last look could not look up some path, or found an object there that the run cannot open
			   now: no event tells when that changes */
};

#define WALLS_STAND SIZE_MAX
#define WALLS_NONE { .root = -1, .mountinfo = -1, .watch = { .moves = -1 }, .later = CLOSE_LATER_NONE, \
		     .way = WALLS_WAY_NONE, .poll_ms = -1 }

/*
 * Watches the paths on the host, unless walls_meanwhile() has done so, and opens the
 * sandbox's root and mount table.  From the first walls_check() on, a path that loses its
 * protection is noticed.  Where inotify cannot be used (its limits, or a directory that the
 * caller may not read), the caller has to call walls_check() every poll_ms.  Call it before
 * confine_self().
 */
int walls_init(struct walls *w, const struct sandbox_view *view,
	       const struct sandbox_child *child, struct rt_err *err);
/*
 * struct sandbox_run.meanwhile for a struct walls whose view is set: watches the paths, and
 * calls walls_check() for the first time as soon as polinit has made the mounts.  It
 * reports nothing: walls_init() and walls_check() meet the same failure, or the same lost
 * path, again.
 */
void walls_meanwhile(void *walls, pid_t init_pid, int init_pidfd);
/* True if the first look found every path protected and nothing has changed since. */
bool walls_stand_yet(struct walls *w);
/* Reads the pending events.  True if one of them may concern a protected path, if the mount table has changed, or
 * if poll() fails.  Events about other names in a watched directory do not count. */
bool walls_changed(struct walls *w);
void walls_release(struct walls *w);

/*
 * Looks at every protected path.  Call it after POLLPRI or POLLIN, or every poll_ms.  *ret is
 * the index in view->walls of one that has lost its protection, or WALLS_STAND.  0, or
 * -errno if it could not look.  The first call notes the mounts that the set-up has made.
 */
int walls_check(struct walls *w, size_t *ret);

/*
 * While polrun is stopped (job control, or kill -STOP) it does not poll.  With `on` the
 * kernel sends polrun SIGCONT for each inotify event; its si_code is then one of POLL_IN to
 * POLL_HUP (fcntl(2), F_SETSIG).  False: not every change sends a signal, so polrun must
 * not stop.
 */
bool walls_wake(const struct walls *w, bool on);

/* What the report says about how the protected paths are watched. */
const char *walls_mechanism(const struct walls *w);

#endif
