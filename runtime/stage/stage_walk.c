/* Lists a tree, directory by directory, each opened by its path from the top. */
#include "runtime/stage/stage_walk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/base/sys.h"

/* Of one name, with its '/': more than any file system of Linux has. */
#define LONGEST_NAME 1024

struct walk {
	int top;
	int (*visit)(void *arg, const struct stage_found *f);
	void *arg;
	char **todo; /* directories to look into */
	size_t n, cap, names;
	dev_t dev;
};

static int push(struct walk *w, const char *path)
{
	if (w->n == w->cap) {
		size_t cap = w->cap ? 2 * w->cap : 64;
		char **todo = reallocarray(w->todo, cap, sizeof(*todo));

		if (!todo)
			return -ENOMEM;
		w->todo = todo;
		w->cap = cap;
	}
	w->todo[w->n] = strdup(path);
	return w->todo[w->n++] ? 0 : -ENOMEM;
}

static int open_dir(const struct walk *w, const char *path)
{
	int fd = sys_open_beneath(w->top, path[0] ? path : ".",
				  O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, STAGE_RESOLVE);

	return fd < 0 ? -errno : fd;
}

/* Reads the names of a directory whose own path has `len` bytes.  -ENAMETOOLONG: the path of one of
 * them would be longer than a path may be. */
static int check_lengths(int fd, size_t len)
{
	DIR *d = fdopendir(fd);
	int r = 0;

	if (!d) {
		r = -errno;
		(void)close(fd);
		return r;
	}
	while (r == 0) {
		const struct dirent *e;

		errno = 0;
		e = readdir(d);
		if (!e) {
			r = -errno;
			break;
		}
		if (len + 1 + strlen(e->d_name) >= PATH_MAX)
			r = -ENAMETOOLONG;
	}
	(void)closedir(d);
	return r;
}

/*
 * Opens the directory, and returns 0 or the -errno that forbids to look into it.  A run can make
 * directories that are deeper than a path is long: their names could be told to nobody, nor given
 * back to us, so the last directory that has a path is closed as a whole.
 */
static int try_dir(const struct walk *w, const char *path)
{
	size_t len = strlen(path);
	int fd = open_dir(w, path);

	if (fd < 0)
		return fd;
	if (len + LONGEST_NAME >= PATH_MAX)
		return check_lengths(fd, len);
	(void)close(fd);
	return 0;
}

/* Can it be looked into?  The answer is part of what the visitor gets, before anything
 * that is in it. */
static int meet(struct walk *w, struct stage_found *f)
{
	int r;

	if (++w->names > STAGE_MAX_NAMES)
		return -E2BIG;
	if (f->st.st_dev != w->dev) {
		f->closed = -EXDEV;
	} else if (S_ISDIR(f->st.st_mode)) {
		r = try_dir(w, f->path);
		if (r == -ENOENT || r == -ENOTDIR || r == -ELOOP)
			return 0;
		if (r < 0 && r != -EACCES && r != -EPERM && r != -EXDEV && r != -ENAMETOOLONG)
			return r;
		f->closed = r;
	}
	r = w->visit(w->arg, f);
	if (r == STAGE_SKIP)
		return 0;
	if (r == 0 && S_ISDIR(f->st.st_mode) && !f->closed)
		r = push(w, f->path);
	return r;
}

static int list(struct walk *w, DIR *d, const char *path)
{
	char inner[PATH_MAX];
	size_t n = strlen(path);

	if (n)
		memcpy(inner, path, n);
	if (n)
		inner[n++] = '/';
	for (;;) {
		struct stage_found f = { .dir = dirfd(d), .path = inner };
		struct dirent *e;
		size_t len;
		int r;

		errno = 0;
		e = readdir(d);
		if (!e)
			return -errno;
		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
			continue;
		len = strlen(e->d_name);
		if (n + len >= sizeof(inner))
			return -ENAMETOOLONG;
		memcpy(inner + n, e->d_name, len + 1);
		f.name = e->d_name;
		if (fstatat(f.dir, f.name, &f.st, AT_SYMLINK_NOFOLLOW) != 0) {
			if (errno == ENOENT)
				continue;
			return -errno;
		}
		r = meet(w, &f);
		if (r != 0)
			return r;
	}
}

static int enter(struct walk *w, const char *path)
{
	int fd = open_dir(w, path), r;
	DIR *d;

	if (fd == -ENOENT || fd == -ENOTDIR || fd == -ELOOP)
		return 0;
	if (fd < 0)
		return fd;
	d = fdopendir(fd);
	if (!d) {
		r = -errno;
		(void)close(fd);
		return r;
	}
	r = list(w, d, path);
	(void)closedir(d);
	return r;
}

int stage_walk(int top, int (*visit)(void *arg, const struct stage_found *f), void *arg)
{
	struct walk w = { .top = top, .visit = visit, .arg = arg };
	struct stage_found f = { .dir = top, .name = ".", .path = "" };
	int r;

	if (fstat(top, &f.st) != 0)
		return -errno;
	w.dev = f.st.st_dev;
	r = meet(&w, &f);
	while (r == 0 && w.n) {
		AUTO_FREE char *path = w.todo[--w.n];

		r = enter(&w, path);
	}
	while (w.n)
		free(w.todo[--w.n]);
	free(w.todo);
	return r;
}

int stage_parent(int top, const char *path, const char **ret_name)
{
	const char *slash = strrchr(path, '/');
	char dir[PATH_MAX];
	size_t n = slash ? (size_t)(slash - path) : 0;
	int fd;

	if (n >= sizeof(dir))
		return -ENAMETOOLONG;
	memcpy(dir, path, n);
	dir[n] = '\0';
	fd = sys_open_beneath(top, n ? dir : ".", O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC,
			      STAGE_RESOLVE);
	if (fd < 0)
		return -errno;
	*ret_name = slash ? slash + 1 : path;
	return fd;
}
