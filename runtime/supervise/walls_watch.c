/* Watches protected paths and the directories above them: walls_watch.h. */
#include "runtime/supervise/walls_watch.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/sys.h"

/* A directory above a protected path. */
#define ABOVE ((uint32_t)(IN_MOVE_SELF | IN_MASK_ADD | IN_DONT_FOLLOW))
/* The object at a protected path.  rename(2) over it and unlink(2) take a link from it
 * (IN_ATTRIB) or delete it.  The mount table reports this as well, but poll(2) on it sends
 * no signal to a stopped polrun. */
#define SELF (ABOVE | IN_ATTRIB | IN_DELETE_SELF)
/* The names in a directory.  IN_ATTRIB: chmod(2) may let the caller search it again. */
#define NAMES ((uint32_t)(IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_ATTRIB | IN_MASK_ADD))
/* A name in a directory is renamed over or removed. */
#define GONE ((uint32_t)(IN_MOVED_TO | IN_DELETE | IN_MASK_ADD))
#define MAX_READS 64 /* of one call: a process that makes events faster than polrun reads
                        them must not keep it here */

/* --- watches ---------------------------------------------------------------------- */

static void look_often(struct walls_watch *w)
{
	w->often = true;
}

/* Only root can change the names in this directory, so a watch on it costs few events. */
static bool is_quiet_dir(const char *dir)
{
	struct stat st;

	return SYS_RETRY(stat(dir, &st)) == 0 && st.st_uid == 0 &&
	       !(st.st_mode & (S_IWGRP | S_IWOTH));
}

static bool watch_path(const struct walls_watch *w, const char *path, uint32_t mask)
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

/* True if the caller may not search the directory.  Not with faccessat(2), which the
 * supervisor's filter denies. */
static bool is_closed_dir(const char *dir)
{
	char inner[PATH_MAX + 2];
	struct stat st;

	(void)snprintf(inner, sizeof(inner), "%s/.", dir);
	return SYS_RETRY(stat(inner, &st)) != 0 && walls_is_closed(errno);
}

/*
 * For a directory such as /tmp, in which there are many names and above which there are few events: watches its
 * own name in the directory above instead of IN_ATTRIB on it.  IN_ATTRIB would make the kernel mark each cached name in
 * the directory (fsnotify_set_children_dentry_flags()), 16 ms for a /tmp with 100,000 of them.
 * False: `path` is not such a directory, or the watch failed.
 */
static bool watch_quiet_dir(const struct walls_watch *w, const char *path, uint32_t mask)
{
	char dir[PATH_MAX];

	if (!(mask & IN_ATTRIB))
		return false;
	(void)snprintf(dir, sizeof(dir), "%s", path);
	if (!cut_name(dir))
		(void)snprintf(dir, sizeof(dir), "/");
	return is_quiet_dir(dir) &&
	       watch_path(w, path, (mask & ~(uint32_t)IN_ATTRIB) | IN_ONLYDIR) &&
	       watch_path(w, dir, GONE | IN_ONLYDIR);
}

/* Watches the object at `path`.  inotify_add_watch(2) needs read permission for the object;
 * without it the names in the directory above are watched.  If that directory is closed, the
 * event that it was opened comes before any event in it. */
static void watch_object(struct walls_watch *w, const char *path, uint32_t mask)
{
	char dir[PATH_MAX];

	if (watch_quiet_dir(w, path, mask) || watch_path(w, path, mask))
		return;
	if (errno == ENOENT || errno == ENOTDIR)
		return; /* the next look finds the path lost */
	if (errno != EACCES) {
		look_often(w);
		return;
	}
	(void)snprintf(dir, sizeof(dir), "%s", path);
	if (!cut_name(dir))
		(void)snprintf(dir, sizeof(dir), "/");
	if (!watch_path(w, dir, NAMES) && !is_closed_dir(dir))
		look_often(w);
}

/* Watches the deepest directory above `path` that can be watched.  Returns the length of its
 * path; 0: it is "/", or no watch was possible. */
static size_t watch_deepest(struct walls_watch *w, const char *path)
{
	char dir[PATH_MAX];

	(void)snprintf(dir, sizeof(dir), "%s", path);
	while (cut_name(dir)) {
		if (watch_path(w, dir, NAMES | ABOVE | IN_ONLYDIR))
			return strlen(dir);
		if (errno != ENOENT && errno != ENOTDIR &&
		    !(walls_is_closed(errno) && is_closed_dir(dir))) {
			look_often(w);
			return 0;
		}
	}
	if (!watch_path(w, "/", NAMES))
		look_often(w);
	return 0;
}

/*
 * For an absent path: watches the deepest existing directory above it, where the next
 * component appears.  A directory may be made between the look-up and the watch, so this
 * repeats until no deeper directory is found.
 */
static void watch_way_to(struct walls_watch *w, const char *path)
{
	size_t deep = 0, now;

	while ((now = watch_deepest(w, path)) > deep)
		deep = now;
}

static const char *host_path(const struct walls_watch *w, size_t i, char buf[PATH_MAX])
{
	return sandbox_view_host(w->view, w->view->walls[i].path, buf, PATH_MAX);
}

/* Watches the directories above `path`, except those that are also above `done`, the path of
 * the last call: the paths are sorted, and 2,000 of them have few different directories. */
static void watch_above(struct walls_watch *w, const char *path, char done[PATH_MAX])
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

/* The paths of the last watch_above(): on the host, and in the sandbox. */
struct watched {
	char host[PATH_MAX], inside[PATH_MAX];
};

/* A denied name whose object was removed: it has to be watched as an absent path is. */
static bool is_denied_and_absent(const struct walls_watch *w, size_t i, const char *host)
{
	struct stat st;

	return w->view->walls[i].kind == SANDBOX_WALL_NAME && SYS_RETRY(lstat(host, &st)) != 0 &&
	       walls_is_nowhere(errno);
}

/* Watches the object at a protected path and each directory above it on the host.  If the
 * sandbox has it at another path, also that path and the directories above it. */
static void watch_wall(struct walls_watch *w, size_t i, struct watched *last)
{
	const char *inside = w->view->walls[i].path;
	char buf[PATH_MAX];
	const char *host = host_path(w, i, buf);

	if (!host || strlen(host) >= PATH_MAX || strlen(inside) >= PATH_MAX) {
		look_often(w);
		return;
	}
	if (w->view->walls[i].kind == SANDBOX_WALL_ABSENT || is_denied_and_absent(w, i, host))
		watch_way_to(w, host);
	else
		watch_object(w, host, SELF);
	watch_above(w, host, last->host);
	if (!strcmp(host, inside))
		return;
	watch_object(w, inside, SELF);
	watch_above(w, inside, last->inside);
}

void walls_watch_anew(struct walls_watch *w)
{
	struct watched last = { "", "" };

	for (size_t i = 0; i < w->view->nwalls; i++)
		if (w->view->walls[i].kind != SANDBOX_WALL_MOUNT)
			watch_wall(w, i, &last);
}

/* --- events ---------------------------------------------------------------------- */

/* The bit of a name in names_on_way.  -1: it is not ASCII, so a file system that ignores case may take it for another
 * name in a way that is not known here.  If two names have the same bit, polrun looks once too often. */
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

/* Sets the bits of the components of `path`. */
static void note_names_of(struct walls_watch *w, const char *path)
{
	for (size_t n; *path; path += n + (path[n] == '/')) {
		n = strcspn(path, "/");
		int bit = name_bit(path, n);

		if (bit >= 0)
			w->names_on_way[bit / 64] |= (uint64_t)1 << bit % 64;
	}
}

/*
 * polrun looks a protected path up by its name, so only an event about a component of the path, or about a watched
 * object itself (an event without a name), can be about a change of it.  All other events are left out: a run makes
 * thousands of other names in a watched directory such as the project's, and each look costs some 130 openat2(2).
 */
static bool concerns_wall(const struct walls_watch *w, const struct inotify_event *e, const char *name)
{
	int bit = e->len ? name_bit(name, strnlen(name, e->len)) : -1;

	return bit < 0 || (w->names_on_way[bit / 64] >> bit % 64 & 1);
}

bool walls_watch_read(struct walls_watch *w)
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
			/* what is at a watched path now may be another object, without a watch */
			w->ways |= !e.len || (e.mask & IN_ISDIR);
		}
	}
	return true;
}

void walls_watch_begin(struct walls_watch *w, const struct sandbox_view *view)
{
	struct watched last = { "", "" };

	w->view = view;
	w->moves = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	if (w->moves < 0) {
		look_often(w);
		return;
	}
	for (size_t i = 0; i < w->view->nwalls; i++) {
		char buf[PATH_MAX];
		const char *host = host_path(w, i, buf);

		note_names_of(w, w->view->walls[i].path);
		note_names_of(w, host ? host : "");
		watch_wall(w, i, &last);
	}
}
