/* Decides which of a run's walls still stand: see walls.h.  An event only says that it
 * is time to look; nothing else is concluded from it. */
#include "runtime/supervise/walls.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/base/sys.h"

#define POLL_MS 50 /* how often to look if no event reports moves */

#define ABOVE ((uint32_t)(IN_MOVE_SELF | IN_MASK_ADD | IN_DONT_FOLLOW))
/* An object that is renamed over or removed loses a link or is deleted.  The mount
 * table reports this as well, but sends no signal to a stopped process. */
#define SELF (ABOVE | IN_ATTRIB | IN_DELETE_SELF)
/* A change of a directory's attributes (chmod) may open the way through it. */
#define NAMES ((uint32_t)(IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_ATTRIB | IN_MASK_ADD))
/* A name is renamed over or removed. */
#define GONE ((uint32_t)(IN_MOVED_TO | IN_DELETE | IN_MASK_ADD))
#define MAX_READS 64 /* reads at a time: a process that makes events faster than we read
                        them must not block us */

/* --- a look -------------------------------------------------------------------- */

/* Not found, or reached only through a link. */
static bool is_nowhere(int e)
{
	return e == ENOENT || e == ENOTDIR || e == ELOOP;
}

/* The way was closed (chmod): what nobody can reach shows nothing. */
static bool is_closed(int e)
{
	return e == EACCES;
}

static int open_inside(const struct walls *w, const char *path)
{
	int fd = sys_open_beneath(w->root, path + 1, O_PATH | O_NOFOLLOW | O_CLOEXEC,
				  RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS |
					  RESOLVE_NO_MAGICLINKS);

	if (fd >= 0 || !is_closed(errno))
		return fd;
	fd = walls_way_open(&w->way, path);
	if (fd < 0)
		errno = -fd;
	return fd < 0 ? -1 : fd;
}

/* The id of the mount whose root is at `path`; 0: there is none. */
static int mount_at(const struct walls *w, const char *path, uint64_t *ret)
{
	AUTO_CLOSE int fd = open_inside(w, path);
	struct statx st;

	*ret = 0;
	if (fd < 0)
		return is_nowhere(errno) ? 0 : -errno;
	if (SYS_RETRY(statx(fd, "", AT_EMPTY_PATH, STATX_MNT_ID, &st)) != 0)
		return -errno;
	if (!(st.stx_mask & STATX_MNT_ID))
		return -EOPNOTSUPP;
	if (st.stx_attributes & STATX_ATTR_MOUNT_ROOT)
		*ret = st.stx_mnt_id;
	return 0;
}

/* A link on the way (ELOOP) was not there when the run began, and may lead to such
 * a name: it does not count as absent. */
static int is_absent(const struct walls *w, const char *path, bool *ret)
{
	AUTO_CLOSE int fd = open_inside(w, path);

	*ret = fd < 0 && errno != ELOOP;
	return fd >= 0 || is_nowhere(errno) ? 0 : -errno;
}

static int is_same_link(const struct walls *w, const struct sandbox_wall *wall, bool *ret)
{
	AUTO_CLOSE int fd = open_inside(w, wall->path);
	char text[PATH_MAX];
	ssize_t n;

	*ret = false;
	if (fd < 0)
		return is_nowhere(errno) ? 0 : -errno;
	n = readlinkat(fd, "", text, sizeof(text));
	*ret = n >= 0 && (size_t)n == strlen(wall->target) &&
	       memcmp(text, wall->target, (size_t)n) == 0;
	return 0;
}

/* Is what appeared at a denied name nothing that the run can write? */
static int is_kept(struct walls *w, size_t i, bool *ret)
{
	AUTO_CLOSE int fd = open_inside(w, w->view->walls[i].path);
	const bool absent = w->view->walls[i].absent;
	enum walls_name is;
	int r;

	*ret = false;
	if (fd < 0 && errno == ELOOP && w->noted) {
		*ret = absent; /* by a link on the way it is another name */
		return 0;
	}
	if (fd < 0 && !is_nowhere(errno))
		return -errno;
	r = walls_name_look(&w->names, fd, !w->noted, absent, &w->id[i], &is);
	*ret = r == 0 && is == WALLS_NAME_STANDS;
	if (r < 0 || is != WALLS_NAME_DOUBT)
		return r;
	w->doubt = true;
	*ret = !w->doubt_ms || sys_now_ms() - w->doubt_ms < WALLS_DOUBT_MS;
	return 0;
}

static int stands(struct walls *w, size_t i, bool *ret)
{
	const struct sandbox_wall *wall = &w->view->walls[i];
	uint64_t id;
	int r;

	switch ((enum sandbox_wall_kind)wall->kind) {
	case SANDBOX_WALL_MOUNT:
		r = mount_at(w, wall->path, &id);
		if (!w->noted)
			w->id[i] = id;
		/* id 0: the first look found no mount, another process was faster */
		*ret = r == 0 && id && id == w->id[i];
		return r;
	case SANDBOX_WALL_ABSENT:
		return is_absent(w, wall->path, ret);
	case SANDBOX_WALL_LINK:
		return is_same_link(w, wall, ret);
	case SANDBOX_WALL_NAME:
		return is_kept(w, i, ret);
	default:
		*ret = false;
		return -EINVAL;
	}
}

/*
 * The run has the caller's permissions: in a directory that the caller may not search, the run cannot
 * see a name either, until somebody opens it again.  For an absent name an event reports
 * that; a link or a name is looked for again and again until it can be seen.
 */
static int is_up(struct walls *w, size_t i, bool *ret)
{
	const struct sandbox_wall *wall = &w->view->walls[i];
	const bool is_mount = wall->kind == SANDBOX_WALL_MOUNT;
	int r = stands(w, i, ret);

	if (r == -ESTALE) { /* it may be another one by now, and nobody can tell */
		*ret = false;
		return 0;
	}
	if (r == 0 || !is_closed(-r) || (is_mount && !w->noted))
		return r;
	w->blind |= wall->kind != SANDBOX_WALL_ABSENT;
	r = is_mount ? walls_way_has_mount(w->mountinfo, w->id[i], wall->path) : 1;
	*ret = r == 1;
	return r < 0 ? r : 0;
}

/* --- what tells of it ------------------------------------------------------------ */

static void look_often(struct walls *w)
{
	w->often = true;
	w->poll_ms = POLL_MS;
}

/* Only root can change the names in this directory, so that little happens there. */
static bool is_quiet(const char *dir)
{
	struct stat st;

	return SYS_RETRY(stat(dir, &st)) == 0 && st.st_uid == 0 &&
	       !(st.st_mode & (S_IWGRP | S_IWOTH));
}

static bool watch(const struct walls *w, const char *path, uint32_t mask)
{
	return SYS_RETRY(inotify_add_watch(w->moves, path, mask)) >= 0;
}

/* Removes the last name of `path`, in place; false at the top. */
static bool cut_name(char *path)
{
	char *slash = strrchr(path, '/');

	if (!slash || slash == path)
		return false;
	*slash = '\0';
	return true;
}

/* True if nothing below the directory can be reached.  (The supervisor's filter forbids
 * faccessat(2).) */
static bool is_closed_dir(const char *dir)
{
	char inner[PATH_MAX + 2];
	struct stat st;

	(void)snprintf(inner, sizeof(inner), "%s/.", dir);
	return SYS_RETRY(stat(inner, &st)) != 0 && is_closed(errno);
}

/*
 * A directory in a quiet one (/tmp, /var/tmp): its name is watched there.  IN_ATTRIB on the directory itself would
 * make the kernel mark each cached name in it (fsnotify_set_children_dentry_flags()),
 * 16 ms for a /tmp with 100,000 of them.
 */
static bool watch_quiet_dir(const struct walls *w, const char *path, uint32_t mask)
{
	char dir[PATH_MAX];

	if (!(mask & IN_ATTRIB))
		return false;
	(void)snprintf(dir, sizeof(dir), "%s", path);
	if (!cut_name(dir))
		(void)snprintf(dir, sizeof(dir), "/");
	return is_quiet(dir) &&
	       watch(w, path, (mask & ~(uint32_t)IN_ATTRIB) | IN_ONLYDIR) &&
	       watch(w, dir, GONE | IN_ONLYDIR);
}

/* Asks for events when the object at `path` is moved.  Only who may read an object may
 * watch it; otherwise we watch its name in the directory above.  If that directory is
 * closed, the event that it was opened will come first. */
static void watch_object(struct walls *w, const char *path, uint32_t mask)
{
	char dir[PATH_MAX];

	if (watch_quiet_dir(w, path, mask) || watch(w, path, mask))
		return;
	if (errno == ENOENT || errno == ENOTDIR)
		return; /* the first look will find it gone */
	if (errno != EACCES) {
		look_often(w);
		return;
	}
	(void)snprintf(dir, sizeof(dir), "%s", path);
	if (!cut_name(dir))
		(void)snprintf(dir, sizeof(dir), "/");
	if (!watch(w, dir, NAMES) && !is_closed_dir(dir))
		look_often(w);
}

/* Watches the deepest directory on the way to `path` that can be watched.  Returns the
 * length of its name; 0: "/", or none. */
static size_t watch_deepest(struct walls *w, const char *path)
{
	char dir[PATH_MAX];

	(void)snprintf(dir, sizeof(dir), "%s", path);
	while (cut_name(dir)) {
		if (watch(w, dir, NAMES | ABOVE | IN_ONLYDIR))
			return strlen(dir);
		if (errno != ENOENT && errno != ENOTDIR &&
		    !(is_closed(errno) && is_closed_dir(dir))) {
			look_often(w);
			return 0;
		}
	}
	if (!watch(w, "/", NAMES))
		look_often(w);
	return 0;
}

/*
 * Asks for events when something appears on the way to `path`, by watching the deepest
 * existing directory.  A directory may be made while we look, so we repeat until we
 * find nothing deeper.
 */
static void watch_way(struct walls *w, const char *path)
{
	size_t deep = 0, now;

	while ((now = watch_deepest(w, path)) > deep)
		deep = now;
}

static const char *host_name(const struct walls *w, size_t i, char buf[PATH_MAX])
{
	return sandbox_view_host(w->view, w->view->walls[i].path, buf, PATH_MAX);
}

/* Watches the directories above `path`, except those above `done`, the path of the last
 * call.  Walls are sorted, and 2,000 of them have few different directories. */
static void watch_above(struct walls *w, const char *path, char done[PATH_MAX])
{
	char dir[PATH_MAX];
	size_t n;

	(void)snprintf(dir, sizeof(dir), "%s", path);
	while (cut_name(dir)) {
		n = strlen(dir);
		if (!strncmp(dir, done, n) && done[n] == '/')
			break;
		watch_object(w, dir, ABOVE);
	}
	(void)snprintf(done, PATH_MAX, "%s", path);
}

/* The paths that were watched last: the host's name, and the name inside. */
struct watched {
	char host[PATH_MAX], inside[PATH_MAX];
};

/* What a denied name had is watched, and if somebody has removed it, what appears there. */
static bool is_missing(const struct walls *w, size_t i, const char *host)
{
	struct stat st;

	return w->view->walls[i].kind == SANDBOX_WALL_NAME && SYS_RETRY(lstat(host, &st)) != 0 &&
	       is_nowhere(errno);
}

/* Watches the wall's object and each directory above it.  If its tree is mounted at
 * another place, also the directories above its name there. */
static void watch_wall(struct walls *w, size_t i, struct watched *last)
{
	const char *inside = w->view->walls[i].path;
	char buf[PATH_MAX];
	const char *host = host_name(w, i, buf);

	if (!host || strlen(host) >= PATH_MAX || strlen(inside) >= PATH_MAX) {
		look_often(w);
		return;
	}
	if (w->view->walls[i].kind == SANDBOX_WALL_ABSENT || is_missing(w, i, host))
		watch_way(w, host);
	else
		watch_object(w, host, SELF);
	watch_above(w, host, last->host);
	if (!strcmp(host, inside))
		return;
	watch_object(w, inside, SELF);
	watch_above(w, inside, last->inside);
}

/* Watches the walls again: a new directory on the way to an absent name, or a new link
 * with the same text, is not the object that was watched. */
static void watch_anew(struct walls *w)
{
	struct watched last = { "", "" };

	walls_way_keep(&w->way, w->view, w->root);
	for (size_t i = 0; i < w->view->nwalls; i++)
		if (w->view->walls[i].kind != SANDBOX_WALL_MOUNT)
			watch_wall(w, i, &last);
}

/* --- events ---------------------------------------------------------------------- */

/* The bit of a name in names_on_way; -1: a file system that ignores case may take the name for another one.
 * Two names of one bit only cost a look. */
static int name_bit(const char *name, size_t n)
{
	uint32_t h = 2166136261u; /* FNV-1a */

	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)name[i];

		if (c >= 0x80)
			return -1;
		h = (h ^ (c >= 'A' && c <= 'Z' ? c + 32u : c)) * 16777619u;
	}
	return (int)(h % WALLS_NAME_BITS);
}

static void note_names(struct walls *w, const char *path)
{
	for (size_t n; *path; path += n + (path[n] == '/')) {
		n = strcspn(path, "/");
		int bit = name_bit(path, n);

		if (bit >= 0)
			w->names_on_way[bit / 64] |= (uint64_t)1 << bit % 64;
	}
}

/*
 * A wall is looked at by its path, so only an event about a name in that path, or about a watched object
 * itself (no name), can tell of a change.  In a directory such as the project's top a run makes thousands of
 * other names.
 */
static bool concerns_wall(const struct walls *w, const struct inotify_event *e, const char *name)
{
	int bit = e->len ? name_bit(name, strnlen(name, e->len)) : -1;

	return bit < 0 || (w->names_on_way[bit / 64] >> bit % 64 & 1);
}

/* Takes the events.  False: none of them concerns a wall. */
static bool read_events(struct walls *w)
{
	char events[4096] __attribute__((aligned(__alignof__(struct inotify_event))));
	bool found = false;
	struct inotify_event e;
	ssize_t n;

	for (int i = 0; i < MAX_READS; i++) {
		n = SYS_RETRY(read(w->moves, events, sizeof(events)));
		if (n <= 0)
			return found;
		for (size_t at = 0; at + sizeof(e) <= (size_t)n; at += sizeof(e) + e.len) {
			memcpy(&e, events + at, sizeof(e));
			if (!concerns_wall(w, &e, events + at + sizeof(e)))
				continue;
			found = true;
			/* a watched object itself, or a directory in one, has changed */
			w->ways |= !e.len || (e.mask & IN_ISDIR);
		}
	}
	return true;
}

/* --- begin and end ------------------------------------------------------------------ */

static int open_of_init(const struct sandbox_child *child, const char *what, int flags)
{
	char name[64];

	(void)snprintf(name, sizeof(name), "/proc/%d/%s", (int)child->init_pid, what);
	return sys_open(name, flags | O_CLOEXEC, 0);
}

static int open_mounts(struct walls *w, const struct sandbox_child *child)
{
	w->root = open_of_init(child, "root", O_PATH | O_DIRECTORY);
	if (w->root >= 0)
		w->mountinfo = open_of_init(child, "mountinfo", O_RDONLY);
	return w->mountinfo >= 0 ? 0 : -errno;
}

/* Files that the run holds (held.h) are told of by the same instance. */
static bool is_needed(const struct sandbox_view *v)
{
	return v->nwalls || v->brokers;
}

static int walls_watch(struct walls *w, const struct sandbox_view *view, struct rt_err *err)
{
	struct watched last = { "", "" };

	if (w->id)
		return 0;
	w->id = calloc(view->nwalls + 1, sizeof(*w->id));
	if (!w->id)
		return rt_fail(err, ENOMEM, "the walls: out of memory");
	w->view = w->names.view = view;
	if (!is_needed(view))
		return 0;
	w->moves = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	if (w->moves < 0)
		look_often(w);
	for (size_t i = 0; i < view->nwalls && w->moves >= 0; i++) {
		char buf[PATH_MAX];
		const char *host = host_name(w, i, buf);

		note_names(w, view->walls[i].path);
		note_names(w, host ? host : "");
		watch_wall(w, i, &last);
	}
	return 0;
}

int walls_init(struct walls *w, const struct sandbox_view *view,
	       const struct sandbox_child *child, struct rt_err *err)
{
	int r = walls_watch(w, view, err);

	if (r < 0 || !is_needed(view) || w->mountinfo >= 0)
		return r;
	r = open_mounts(w, child);
	if (r < 0 && sandbox_child_ended(child))
		return 0; /* mountinfo is -1, so walls_check() does nothing */
	if (r < 0)
		return rt_fail_errno(err, -r, "the sandbox's mounts");
	close_later_keep(&w->later, (int[]){ w->root, w->mountinfo, w->moves }, 3);
	return 0;
}

void walls_release(struct walls *w)
{
	free(w->id);
	/* The kernel closes it later (close_later.h).  Until then each change would send CONT,
	 * which discards a stop: whoever attaches to polrun at its end (a debugger, the search
	 * for leaks) would wait until nothing changes any more. */
	if (w->moves >= 0)
		(void)SYS_RETRY(fcntl(w->moves, F_SETFL, O_NONBLOCK));
	if (w->root >= 0)
		(void)close(w->root);
	if (w->mountinfo >= 0)
		(void)close(w->mountinfo);
	if (w->moves >= 0)
		(void)close(w->moves);
	close_later_release(&w->later);
	walls_way_release(&w->way);
	w->id = NULL;
	w->root = w->mountinfo = w->moves = -1;
}

int walls_check(struct walls *w, size_t *ret)
{
	int r = 0;

	*ret = WALLS_STAND;
	if (w->mountinfo < 0)
		return 0;
	if (w->moves >= 0)
		(void)read_events(w);
	if (w->ways)
		watch_anew(w);
	w->ways = false;
	w->blind = w->doubt = false;
	if (!w->noted)
		walls_way_keep(&w->way, w->view, w->root);
	/* /etc sorts before /home, where things change: begin with the last */
	for (size_t i = w->view->nwalls; i-- > 0 && r == 0;) {
		bool up;

		r = is_up(w, i, &up);
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
	w->poll_ms = w->often || w->blind || w->doubt ? POLL_MS : -1;
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

	if (init_pid) {
		look_early(w, init_pid, init_pidfd);
		return;
	}
	walls_release(w); /* those of a start that failed */
	*w = (struct walls)WALLS_NONE;
	w->view = view;
	(void)walls_watch(w, view, NULL);
}

bool walls_changed(struct walls *w)
{
	struct pollfd p[2] = { { w->mountinfo, POLLPRI, 0 }, { w->moves, POLLIN, 0 } };
	int n = poll(p, 2, 0);

	/* poll() tells of a change of the mounts once, so that the answer must not be lost */
	return n < 0 || p[0].revents || (n && read_events(w));
}

bool walls_stand_yet(struct walls *w)
{
	return w->noted && w->poll_ms < 0 && !walls_changed(w);
}

bool walls_wake(const struct walls *w, bool on)
{
	if (w->mountinfo < 0)
		return true; /* there is no wall that could be lost */
	if (w->poll_ms >= 0)
		return false;
	return (!on || (SYS_RETRY(fcntl(w->moves, F_SETOWN, getpid())) == 0 &&
			SYS_RETRY(fcntl(w->moves, F_SETSIG, SIGCONT)) == 0)) &&
	       SYS_RETRY(fcntl(w->moves, F_SETFL, O_NONBLOCK | (on ? O_ASYNC : 0))) == 0;
}

const char *walls_mechanism(const struct walls *w)
{
	return !is_needed(w->view) ? "none hangs on a name of the host" :
	       w->poll_ms < 0	? "mountinfo and inotify tell of changes outside" :
				  "mountinfo tells of changes outside; moves are looked for "
				  "every 50 ms";
}
