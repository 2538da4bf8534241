/* Looks which of a run's protected paths are still protected: walls.h.  An event only says
 * that it is time to look: that a path is still protected is never concluded from events. */
#include "runtime/supervise/walls.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/base/sys.h"

/* --- a look -------------------------------------------------------------------- */

static int open_inside(const struct walls *w, const char *path)
{
	int fd = sys_open_beneath(w->root, path + 1, O_PATH | O_NOFOLLOW | O_CLOEXEC,
				  RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS |
					  RESOLVE_NO_MAGICLINKS);

	if (fd >= 0 || !walls_is_closed(errno))
		return fd;
	fd = walls_way_open(&w->way, path);
	if (fd < 0)
		errno = -fd;
	return fd < 0 ? -1 : fd;
}

/* *ret is the id of the mount whose root is at `path`; 0: there is none. */
static int mount_at(const struct walls *w, const char *path, uint64_t *ret)
{
	AUTO_CLOSE int fd = open_inside(w, path);
	struct statx st;

	*ret = 0;
	if (fd < 0)
		return walls_is_nowhere(errno) ? 0 : -errno;
	if (SYS_RETRY(statx(fd, "", AT_EMPTY_PATH, STATX_MNT_ID, &st)) != 0)
		return -errno;
	if (!(st.stx_mask & STATX_MNT_ID))
		return -EOPNOTSUPP;
	if (st.stx_attributes & STATX_ATTR_MOUNT_ROOT)
		*ret = st.stx_mnt_id;
	return 0;
}

/* ELOOP: a symbolic link on the way that was not there when the run began.  It may lead to
 * an object, so the path does not count as absent. */
static int is_absent(const struct walls *w, const char *path, bool *ret)
{
	AUTO_CLOSE int fd = open_inside(w, path);

	*ret = fd < 0 && errno != ELOOP;
	return fd >= 0 || walls_is_nowhere(errno) ? 0 : -errno;
}

static int is_same_link(const struct walls *w, const struct sandbox_wall *wall, bool *ret)
{
	AUTO_CLOSE int fd = open_inside(w, wall->path);
	char text[PATH_MAX];
	ssize_t n;

	*ret = false;
	if (fd < 0)
		return walls_is_nowhere(errno) ? 0 : -errno;
	n = readlinkat(fd, "", text, sizeof(text));
	*ret = n >= 0 && (size_t)n == strlen(wall->target) &&
	       memcmp(text, wall->target, (size_t)n) == 0;
	return 0;
}

/* *ret is false if the object at the denied name may be one that the run can write by other means. */
static int is_denied_name_safe(struct walls *w, size_t i, bool *ret)
{
	AUTO_CLOSE int fd = open_inside(w, w->view->walls[i].path);
	const bool absent = w->view->walls[i].absent;
	enum walls_name is;
	int r;

	*ret = false;
	if (fd < 0 && errno == ELOOP && w->noted) {
		*ret = absent; /* through a link on the way the path is another name of the host */
		return 0;
	}
	if (fd < 0 && !walls_is_nowhere(errno))
		return -errno;
	r = walls_name_look(&w->names, fd, !w->noted, absent, &w->id[i], &is);
	*ret = r == 0 && is == WALLS_NAME_STANDS;
	if (r < 0 || is != WALLS_NAME_DOUBT)
		return r;
	w->doubt = true;
	*ret = !w->doubt_ms || sys_now_ms() - w->doubt_ms < WALLS_DOUBT_MS;
	return 0;
}

static int check_by_path(struct walls *w, size_t i, bool *ret)
{
	const struct sandbox_wall *wall = &w->view->walls[i];
	uint64_t id;
	int r;

	switch ((enum sandbox_wall_kind)wall->kind) {
	case SANDBOX_WALL_MOUNT:
		r = mount_at(w, wall->path, &id);
		if (!w->noted)
			w->id[i] = id;
		/* id 0: a process of the host detached the mount before the first look */
		*ret = r == 0 && id && id == w->id[i];
		return r;
	case SANDBOX_WALL_ABSENT:
		return is_absent(w, wall->path, ret);
	case SANDBOX_WALL_LINK:
		return is_same_link(w, wall, ret);
	case SANDBOX_WALL_NAME:
		return is_denied_name_safe(w, i, ret);
	case SANDBOX_WALL_STAYS:
		*ret = true;
		return 0;
	default:
		*ret = false;
		return -EINVAL;
	}
}

/* O_NONBLOCK: a FIFO that takes the place of the object must not hold polrun up. */
enum { TO_READ = O_RDONLY | O_NONBLOCK | O_NOCTTY, TO_WRITE = O_WRONLY | O_NONBLOCK | O_NOCTTY };

static bool is_refused(const struct walls *w, const char *path, int flags)
{
	AUTO_CLOSE int fd = sys_open_beneath(w->root, path + 1, (uint64_t)flags | O_CLOEXEC,
					     RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS);

	return fd < 0 && walls_is_closed(errno);
}

/*
 * Can the run do nothing with the object that lost its mount?  useradd(8) replaces /etc/shadow, and a run of a user
 * who cannot read the new file gets no secret by that.  polrun opens it as the run would, since access control lists
 * count as well.  What belongs to the user is within reach: chmod(2) opens it.  A run by root has a uid and a gid that
 * nothing of the host belongs to and no list names, so that the mode for others decides; where the tree is mapped to
 * that uid, fstat() tells it as the owner.
 */
static bool is_out_of_reach(const struct walls *w, const char *path)
{
	AUTO_CLOSE int fd = w->uid ? open_inside(w, path) : -1;
	char inner[PATH_MAX + 2];
	struct stat st;

	if (fd < 0 || fstat(fd, &st) != 0 || st.st_uid == w->uid)
		return false;
	if (w->uid >= SANDBOX_ROOT_RUN_BASE)
		return st.st_gid != w->uid && !(st.st_mode & S_IRWXO) &&
		       (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode));
	(void)snprintf(inner, sizeof(inner), "%s/.", path);
	if (S_ISDIR(st.st_mode))
		return is_refused(w, path, TO_READ) && is_refused(w, inner, O_PATH);
	return S_ISREG(st.st_mode) && !(st.st_mode & (S_IXUSR | S_IXGRP | S_IXOTH)) &&
	       is_refused(w, path, TO_READ) && is_refused(w, path, TO_WRITE);
}

/*
 * A path that polrun cannot look up (EACCES) counts as protected.  The run has the caller's permissions, so it
 * cannot look the path up either, until a process opens the directory again.  An event reports that for an
 * absent path; the other kinds are looked at every WALLS_POLL_MS until then.  A mount is looked for in the mount
 * table, which needs no look-up.
 */
static int check_wall(struct walls *w, size_t i, bool *ret)
{
	const struct sandbox_wall *wall = &w->view->walls[i];
	const bool is_mount = wall->kind == SANDBOX_WALL_MOUNT;
	int r = check_by_path(w, i, ret);

	if (r == -ESTALE) { /* the directory above was not kept open (walls_way.h): what lies there is unknown */
		*ret = false;
		return 0;
	}
	if (r == 0 && !*ret && is_mount && w->noted && is_out_of_reach(w, wall->path)) {
		w->blind = *ret = true; /* until its mode changes */
		return 0;
	}
	if (r == 0 || !walls_is_closed(-r) || (is_mount && !w->noted))
		return r;
	w->blind |= wall->kind != SANDBOX_WALL_ABSENT;
	r = is_mount ? walls_way_has_mount(w->mountinfo, w->id[i], wall->path) : 1;
	*ret = r == 1;
	return r < 0 ? r : 0;
}

/* --- begin and end ------------------------------------------------------------------ */

static int open_proc_of_init(const struct sandbox_child *child, const char *what, int flags)
{
	char name[64];

	(void)snprintf(name, sizeof(name), "/proc/%d/%s", (int)child->init_pid, what);
	return sys_open(name, flags | O_CLOEXEC, 0);
}

static int open_mounts(struct walls *w, const struct sandbox_child *child)
{
	w->root = open_proc_of_init(child, "root", O_PATH | O_DIRECTORY);
	if (w->root >= 0)
		w->mountinfo = open_proc_of_init(child, "mountinfo", O_RDONLY);
	return w->mountinfo >= 0 ? 0 : -errno;
}

/* With a broker the inotify instance is needed even without protected paths: held.h adds its watches to it. */
static bool needs_watch(const struct sandbox_view *v)
{
	return v->nwalls || v->brokers;
}

static int begin_watch(struct walls *w, const struct sandbox_view *view, struct rt_err *err)
{
	if (w->id)
		return 0;
	w->id = calloc(view->nwalls + 1, sizeof(*w->id));
	if (!w->id)
		return rt_fail(err, ENOMEM, "the walls: out of memory");
	w->view = w->names.view = view;
	if (!needs_watch(view))
		return 0;
	walls_watch_begin(&w->watch, view);
	if (w->watch.often)
		w->poll_ms = WALLS_POLL_MS;
	return 0;
}

int walls_init(struct walls *w, const struct sandbox_view *view,
	       const struct sandbox_child *child, struct rt_err *err)
{
	int r = begin_watch(w, view, err);

	if (r < 0 || !needs_watch(view) || w->mountinfo >= 0)
		return r;
	r = open_mounts(w, child);
	if (r < 0 && sandbox_child_ended(child))
		return 0; /* mountinfo is -1, so walls_check() does nothing */
	if (r < 0)
		return rt_fail_errno(err, -r, "the sandbox's mounts");
	close_later_keep(&w->later, (int[]){ w->root, w->mountinfo, w->watch.moves }, 3);
	return 0;
}

void walls_release(struct walls *w)
{
	free(w->id);
	/* The kernel closes the instance later (close_later.h).  With O_ASYNC each event until then
	 * would send SIGCONT, which discards a pending stop: a process that attaches to polrun at its
	 * end (a debugger, LeakSanitizer) would have to wait until the events end. */
	if (w->watch.moves >= 0)
		(void)SYS_RETRY(fcntl(w->watch.moves, F_SETFL, O_NONBLOCK));
	if (w->root >= 0)
		(void)close(w->root);
	if (w->mountinfo >= 0)
		(void)close(w->mountinfo);
	if (w->watch.moves >= 0)
		(void)close(w->watch.moves);
	close_later_release(&w->later);
	walls_way_release(&w->way);
	w->id = NULL;
	w->root = w->mountinfo = w->watch.moves = -1;
}

int walls_check(struct walls *w, size_t *ret)
{
	int r = 0;

	*ret = WALLS_STAND;
	if (w->mountinfo < 0)
		return 0;
	if (w->watch.moves >= 0)
		(void)walls_watch_read(&w->watch);
	if (w->watch.ways) {
		walls_way_keep(&w->way, w->view, w->root);
		walls_watch_anew(&w->watch);
	}
	w->watch.ways = false;
	w->blind = w->doubt = false;
	if (!w->noted)
		walls_way_keep(&w->way, w->view, w->root);
	/* the paths are sorted, and most changes are below /home, not /etc: begin with the last */
	for (size_t i = w->view->nwalls; i-- > 0 && r == 0;) {
		bool up;

		r = check_wall(w, i, &up);
		if (r == 0 && !up) {
			*ret = i;
			return 0;
		}
	}
	w->noted |= r == 0;
	if (!w->doubt)
		w->doubt_ms = 0;
	else if (!w->doubt_ms)
		w->doubt_ms = sys_now_ms();
	w->poll_ms = w->watch.often || w->blind || w->doubt ? WALLS_POLL_MS : -1;
	return r;
}

static void look_early(struct walls *w, pid_t init_pid, int init_pidfd)
{
	const struct sandbox_child child = { .init_pid = init_pid, .init_pidfd = init_pidfd,
					     .status_fd = -1, .listener = -1 };
	size_t gone;

	if (walls_init(w, w->view, &child, NULL) == 0)
		(void)walls_check(w, &gone);
}

void walls_meanwhile(void *walls, pid_t init_pid, int init_pidfd)
{
	struct walls *w = walls;
	const struct sandbox_view *view = w->view;
	const uid_t uid = w->uid;

	if (init_pid) {
		look_early(w, init_pid, init_pidfd);
		return;
	}
	walls_release(w); /* what a start that failed has opened */
	*w = (struct walls)WALLS_NONE;
	w->view = view;
	w->uid = uid;
	(void)begin_watch(w, view, NULL);
}

bool walls_changed(struct walls *w)
{
	struct pollfd p[2] = { { w->mountinfo, POLLPRI, 0 }, { w->watch.moves, POLLIN, 0 } };
	int n = poll(p, 2, 0);

	/* the kernel reports a change of the mount table to one poll() only: do not drop the answer */
	return n < 0 || p[0].revents || (n && walls_watch_read(&w->watch));
}

bool walls_stand_yet(struct walls *w)
{
	return w->noted && w->poll_ms < 0 && !walls_changed(w);
}

bool walls_wake(const struct walls *w, bool on)
{
	if (w->mountinfo < 0)
		return true; /* there is no path that could be lost */
	if (w->poll_ms >= 0)
		return false;
	return (!on || (SYS_RETRY(fcntl(w->watch.moves, F_SETOWN, getpid())) == 0 &&
			SYS_RETRY(fcntl(w->watch.moves, F_SETSIG, SIGCONT)) == 0)) &&
	       SYS_RETRY(fcntl(w->watch.moves, F_SETFL, O_NONBLOCK | (on ? O_ASYNC : 0))) == 0;
}

const char *walls_mechanism(const struct walls *w)
{
	return !needs_watch(w->view) ? "none hangs on a name of the host" :
	       w->poll_ms < 0	? "mountinfo and inotify tell of changes outside" :
				  "mountinfo tells of changes outside; moves are looked for "
				  "every 50 ms";
}
