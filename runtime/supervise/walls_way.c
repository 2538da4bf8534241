/* Looks at protected paths below a directory that the run has closed: walls_way.h. */
#include "runtime/supervise/walls_way.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/sys.h"
#include "runtime/sandbox/host_mounts.h"

#define NO_LINKS (RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS)

/* --- directories that are kept open ------------------------------------------------------ */

static struct walls_way_dir *find_dir(const struct walls_way *w, const char *path, size_t len)
{
	for (size_t i = w->n; i-- > 0;)
		if (w->dirs[i].len == len && !memcmp(w->dirs[i].path, path, len))
			return &w->dirs[i];
	return NULL;
}

static struct walls_way_dir *add_dir(struct walls_way *w, const char *path, size_t len)
{
	struct walls_way_dir *grown = w->n < WALLS_WAY_MOST ?
					      reallocarray(w->dirs, w->n + 1, sizeof(*grown)) : NULL;

	w->all &= grown != NULL;
	if (!grown)
		return NULL;
	w->dirs = grown;
	grown[w->n] = (struct walls_way_dir){ path, len, -1 };
	return &grown[w->n++];
}

/* The directory has no longer this path, and what was below it not either. */
static void drop_dirs(struct walls_way *w, const char *path, size_t len)
{
	for (size_t i = 0; i < w->n; i++) {
		struct walls_way_dir *d = &w->dirs[i];

		if (d->fd < 0 || d->len < len || memcmp(d->path, path, len) != 0 || d->path[len] != '/')
			continue;
		(void)close(d->fd);
		d->fd = -1;
	}
}

/* Opens the directory that has this path now, and drops the one that had it before.  If a directory above it is
 * closed (EACCES), the old descriptor stays: it is what walls_way_open() needs then.  False: do not go deeper. */
static bool keep_dir(struct walls_way *w, int root, const char *path, size_t len)
{
	struct walls_way_dir *d = find_dir(w, path, len);
	char dir[PATH_MAX];
	int fd;

	(void)snprintf(dir, sizeof(dir), "%.*s", (int)len, path);
	fd = sys_open_beneath(root, dir + 1, O_PATH | O_DIRECTORY | O_CLOEXEC, NO_LINKS);
	if (fd < 0 && errno == EACCES)
		return true;
	if (fd < 0) {
		drop_dirs(w, path, len);
		return false;
	}
	if (!d)
		d = add_dir(w, path, len);
	if (!d) {
		(void)close(fd);
		return false;
	}
	if (d->fd >= 0)
		(void)close(d->fd);
	d->fd = fd;
	return true;
}

void walls_way_keep(struct walls_way *w, const struct sandbox_view *view, int root)
{
	const char *last = "";

	for (size_t i = 0; i < view->nwalls && w->all; i++) {
		const char *path = view->walls[i].path;

		if (view->walls[i].kind == SANDBOX_WALL_MOUNT || strlen(path) >= PATH_MAX)
			continue;
		for (const char *end = path + 1; (end = strchr(end, '/')); end++) {
			size_t len = (size_t)(end - path);

			if (strncmp(path, last, len + 1) != 0 && !keep_dir(w, root, path, len))
				break;
		}
		last = path;
	}
}

void walls_way_release(struct walls_way *w)
{
	for (size_t i = 0; i < w->n; i++)
		if (w->dirs[i].fd >= 0)
			(void)close(w->dirs[i].fd);
	free(w->dirs);
	*w = (struct walls_way)WALLS_WAY_NONE;
}

int walls_way_open(const struct walls_way *w, const char *path)
{
	if (!w->all)
		return -ESTALE;
	/* walls_way_keep() goes down each path, so the directories above one path are sorted from the top */
	for (size_t i = 0; i < w->n; i++) {
		const struct walls_way_dir *d = &w->dirs[i];
		int fd;

		if (d->fd < 0 || strncmp(path, d->path, d->len) != 0 || path[d->len] != '/')
			continue;
		fd = sys_open_beneath(d->fd, path + d->len + 1, O_PATH | O_NOFOLLOW | O_CLOEXEC, NO_LINKS);
		if (fd >= 0 || errno != EACCES)
			return fd >= 0 ? fd : -errno;
	}
	return -EACCES;
}

/* --- the mount table ---------------------------------------------------------------------- */

int walls_way_has_mount(int mountinfo, uint64_t id, const char *path)
{
	struct host_mounts all;
	int r = host_mounts_read_fd(mountinfo, &all);

	for (size_t i = 0; i < all.n && r == 0; i++)
		r = all.v[i].id == id && !strcmp(all.v[i].at, path);
	host_mounts_release(&all);
	return r;
}
