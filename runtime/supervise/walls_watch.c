/* Watches the names of walls, and the directories above them: walls_watch.h. */
#include "runtime/supervise/walls_watch.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/sys.h"

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

/* --- watches ---------------------------------------------------------------------- */

void walls_look_often(struct walls *w)
{
	w->often = true;
	w->poll_ms = WALLS_POLL_MS;
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
	return SYS_RETRY(stat(inner, &st)) != 0 && walls_is_closed(errno);
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
		walls_look_often(w);
		return;
	}
	(void)snprintf(dir, sizeof(dir), "%s", path);
	if (!cut_name(dir))
		(void)snprintf(dir, sizeof(dir), "/");
	if (!watch(w, dir, NAMES) && !is_closed_dir(dir))
		walls_look_often(w);
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
		    !(walls_is_closed(errno) && is_closed_dir(dir))) {
			walls_look_often(w);
			return 0;
		}
	}
	if (!watch(w, "/", NAMES))
		walls_look_often(w);
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
	       walls_is_nowhere(errno);
}

/* Watches the wall's object and each directory above it.  If its tree is mounted at
 * another place, also the directories above its name there. */
static void watch_wall(struct walls *w, size_t i, struct watched *last)
{
	const char *inside = w->view->walls[i].path;
	char buf[PATH_MAX];
	const char *host = host_name(w, i, buf);

	if (!host || strlen(host) >= PATH_MAX || strlen(inside) >= PATH_MAX) {
		walls_look_often(w);
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

void walls_watch_anew(struct walls *w)
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

bool walls_read_events(struct walls *w)
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

void walls_watch_names(struct walls *w)
{
	struct watched last = { "", "" };

	for (size_t i = 0; i < w->view->nwalls; i++) {
		char buf[PATH_MAX];
		const char *host = host_name(w, i, buf);

		note_names(w, w->view->walls[i].path);
		note_names(w, host ? host : "");
		watch_wall(w, i, &last);
	}
}
