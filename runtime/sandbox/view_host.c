/*
 * Looks at paths of the host for the view.  A path without links takes one openat2(2)
 * (view_look()).  Only a path with a link is walked component by component
 * (view_resolve()).
 */
#include "runtime/sandbox/view_host.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/base/sys.h"

static int join(char *out, size_t cap, const char *a, const char *b)
{
	int n = snprintf(out, cap, "%s%s", a, b);

	return n < 0 || (size_t)n >= cap ? -ENAMETOOLONG : 0;
}

/*
 * Cuts `full` after the topmost directory above it that the caller may not search.  False:
 * there is none, and `full` is as it was.  An EACCES that no directory explains comes from
 * a security module or a remote file system, and the command may get another answer.
 */
static bool cut_at_closed_dir(char *full)
{
	bool closed = false;

	for (char *s = strchr(full + 1, '/'); s && !closed; s = strchr(s + 1, '/')) {
		*s = '\0';
		closed = faccessat(AT_FDCWD, full, X_OK, AT_EACCESS) < 0 &&
			 errno == EACCES;
		if (!closed)
			*s = '/';
	}
	return closed;
}

size_t view_closed_way(const char *prefix, const char *path)
{
	char full[4200];

	if (join(full, sizeof(full), prefix, path) < 0 || !cut_at_closed_dir(full))
		return 0;
	return strlen(full) - strlen(prefix);
}

int view_look(const char *prefix, const char *path, struct view_object *ret)
{
	char full[4200];
	struct stat st;
	int r = join(full, sizeof(full), prefix, path);
	struct open_how how = { .flags = O_PATH | O_NOFOLLOW | O_CLOEXEC,
				.resolve =
					RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS };
	AUTO_CLOSE int fd = -1;

	memset(ret, 0, sizeof(*ret));
	ret->fd = -1;
	if (r < 0)
		return r;
	fd = sys_openat2(AT_FDCWD, full, &how);
	if (fd < 0) {
		r = -errno;
		ret->unreachable = r == -EACCES && cut_at_closed_dir(full);
		return r == -ENOENT || r == -ENOTDIR || ret->unreachable ? 0 : r;
	}
	if (fstat(fd, &st) < 0)
		return -errno;
	if (S_ISLNK(st.st_mode))
		return -ELOOP;
	ret->exists = true;
	ret->is_dir = S_ISDIR(st.st_mode);
	ret->mode = st.st_mode;
	ret->dev = st.st_dev;
	ret->ino = st.st_ino;
	ret->uid = st.st_uid;
	ret->gid = st.st_gid;
	ret->fd = io_steal_fd(&fd);
	return 0;
}

/* Appends one component of the rest; handles "." and "..". */
static int step_into(char *done, const char *name, size_t len)
{
	size_t have = strlen(done);

	if (!len || (len == 1 && name[0] == '.'))
		return 0;
	if (len == 2 && name[0] == '.' && name[1] == '.') {
		char *slash = strrchr(done, '/');

		if (slash)
			*slash = '\0';
		return 0;
	}
	if (have + len + 2 > 4096)
		return -ENAMETOOLONG;
	done[have] = '/';
	memcpy(done + have + 1, name, len);
	done[have + 1 + len] = '\0';
	return 0;
}

static int note_link(struct view_link **links, size_t *n, const char *path,
		     const char *target)
{
	struct view_link *grown = reallocarray(*links, *n + 1, sizeof(**links));
	struct view_link *l;
	char *slash;

	if (!grown)
		return -ENOMEM;
	*links = grown;
	l = &grown[(*n)++];
	(void)snprintf(l->path, sizeof(l->path), "%s", path);
	(void)snprintf(l->target, sizeof(l->target), "%s", target);
	if (target[0] == '/') {
		(void)snprintf(l->full, sizeof(l->full), "%s", target);
		return 0;
	}
	(void)snprintf(l->full, sizeof(l->full), "%s", path);
	slash = strrchr(l->full, '/');
	if (slash)
		slash[1] = '\0';
	if (strlen(l->full) + strlen(target) >= sizeof(l->full))
		return -ENAMETOOLONG;
	memcpy(l->full + strlen(l->full), target, strlen(target) + 1);
	return 0;
}

int view_resolve(const char *prefix, const char *path, char ret[4096],
		 struct view_link **ret_links, size_t *ret_n)
{
	char rest[4096], done[4096] = "", full[8300], target[4096];
	bool missing = false;
	int r;

	*ret_links = NULL;
	*ret_n = 0;
	if (strlen(path) >= sizeof(rest))
		return -ENAMETOOLONG;
	memcpy(rest, path, strlen(path) + 1);
	for (char *at = rest; *at;) {
		size_t len;
		ssize_t n = -1;

		while (*at == '/')
			at++;
		len = strcspn(at, "/");
		r = step_into(done, at, len);
		if (r < 0)
			return r;
		at += len;
		if (!len)
			break;
		(void)snprintf(full, sizeof(full), "%s%s", prefix, done);
		if (!missing) {
			struct stat st;

			missing = lstat(full, &st) < 0;
			/* if lstat() fails and the reason is not that no process of
			 * this user can get there, the component may be a link */
			if (missing && errno != ENOENT && errno != ENOTDIR &&
			    errno != EACCES)
				return -errno;
			if (!missing && S_ISLNK(st.st_mode)) {
				n = readlink(full, target, sizeof(target) - 1);
				if (n < 0)
					return -errno;
			}
		}
		if (n < 0)
			continue;
		target[n] = '\0';
		if (*ret_n == VIEW_MAX_LINKS)
			return -ELOOP;
		r = note_link(ret_links, ret_n, done, target);
		if (r < 0)
			return r;
		if (strlen(target) + 1 + strlen(at) >= sizeof(rest))
			return -ENAMETOOLONG;
		(void)snprintf(full, sizeof(full), "%s/%s", target, at);
		if (target[0] == '/')
			done[0] = '\0';
		else
			*strrchr(done, '/') = '\0';
		if (strlen(full) >= sizeof(rest))
			return -ENAMETOOLONG;
		memcpy(rest, full, strlen(full) + 1);
		at = rest;
	}
	(void)snprintf(ret, 4096, "%s", *done ? done : "/");
	return 0;
}

bool view_is_dir(const char *prefix, const char *path)
{
	char full[8300];
	struct stat st;
	int n = snprintf(full, sizeof(full), "%s%s", prefix, path);

	return n > 0 && (size_t)n < sizeof(full) && stat(full, &st) == 0 &&
	       S_ISDIR(st.st_mode);
}
