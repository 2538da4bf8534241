/* Compares objects of the upper layer with those outside, byte for byte. */
#include "runtime/stage/stage_equal.h"

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
#include "runtime/stage/stage_attr.h"
#include "runtime/stage/stage_walk.h"

enum { PIECE = 1 << 16 };

int stage_upper_open(int upper, const struct stage_entry *e, int flags)
{
	AUTO_CLOSE int fd = sys_open_beneath(upper, e->path[0] ? e->path : ".",
					     (uint64_t)(flags | O_NOFOLLOW | O_CLOEXEC),
					     STAGE_RESOLVE);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) != 0)
		return -errno;
	if (st.st_ino != e->now.ino || st.st_dev != e->now.dev)
		return -ESTALE;
	return io_steal_fd(&fd);
}

/* 1: the same bytes. */
static int same_bytes(int a, int b)
{
	AUTO_FREE char *x = malloc(PIECE), *y = malloc(PIECE);
	off_t at = 0;

	if (!x || !y)
		return -ENOMEM;
	for (;;) {
		ssize_t n = SYS_RETRY(pread(a, x, PIECE, at)), m = 0;

		while (n > 0 && m < n) {
			ssize_t k = SYS_RETRY(pread(b, y + m, (size_t)(n - m), at + m));

			if (k < 0)
				return -errno;
			if (k == 0)
				return 0;
			m += k;
		}
		if (n < 0)
			return -errno;
		if (n == 0)
			return 1;
		if (memcmp(x, y, (size_t)n) != 0)
			return 0;
		at += n;
	}
}

static int same_content(int upper, const struct stage_entry *e, int parent, const char *name,
			const struct stage_stat *st)
{
	if (S_ISLNK(st->mode)) {
		char target[PATH_MAX];
		ssize_t n = readlinkat(parent, name, target, sizeof(target));

		if (n < 0)
			return -errno;
		return (size_t)n == strlen(e->target) && !memcmp(target, e->target, (size_t)n);
	}
	if (!S_ISREG(st->mode))
		return 1;
	if (st->size != e->now.size)
		return 0;
	AUTO_CLOSE int in = stage_upper_open(upper, e, O_RDONLY);
	AUTO_CLOSE int out = sys_openat(parent, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK |
					O_NOCTTY | O_CLOEXEC, 0);

	if (in < 0)
		return in;
	return out < 0 ? -errno : same_bytes(in, out);
}

static int same_attrs(int upper, const struct stage_entry *e, int parent, const char *name)
{
	AUTO_CLOSE int in = stage_upper_open(upper, e, O_PATH);
	AUTO_CLOSE int out = sys_openat(parent, name, O_PATH | O_NOFOLLOW | O_CLOEXEC, 0);
	struct stage_attrs a, b;
	int r;

	if (in < 0)
		return in;
	if (out < 0)
		return -errno;
	r = stage_attrs_read(in, &a);
	if (r < 0)
		return r;
	r = stage_attrs_read(out, &b);
	if (r == 0) {
		r = stage_attrs_equal(&a, &b);
		stage_attrs_release(&b);
	}
	stage_attrs_release(&a);
	return r;
}

int stage_equal_find(int upper, const struct stage_entry *e, int parent, const char *name,
		     const struct stage_stat *st, struct stage_equal *ret)
{
	int r;

	*ret = (struct stage_equal){ .content = false };
	if ((st->mode & S_IFMT) != (e->now.mode & S_IFMT))
		return 0;
	r = same_content(upper, e, parent, name, st);
	if (r < 0)
		return r;
	ret->content = r == 1;
	r = same_attrs(upper, e, parent, name);
	if (r < 0)
		return r;
	ret->attrs = r == 1;
	ret->mode = S_ISLNK(st->mode) || (st->mode & 07777) == (e->now.mode & 07777);
	ret->times = !S_ISREG(st->mode) || (st->mtime.tv_sec == e->now.mtime.tv_sec &&
					    st->mtime.tv_nsec == e->now.mtime.tv_nsec);
	return 0;
}

enum stage_known stage_equal_dir_known(int parent, const char *name, uint8_t *digest)
{
	AUTO_CLOSE int fd = sys_openat(parent, name, O_PATH | O_NOFOLLOW | O_CLOEXEC, 0);
	enum stage_known known;
	struct stage_attrs a;

	if (fd < 0 || stage_attrs_read(fd, &a) < 0)
		return STAGE_UNREAD;
	known = a.n ? STAGE_BY_DIGEST : STAGE_BY_TIMES;
	stage_attrs_digest(&a, digest);
	stage_attrs_release(&a);
	return known;
}

/* Is the name gone when the change is committed? */
static int is_stranger(const struct stage_delta *d, unsigned tree, const char *path,
		       const char *name)
{
	char inner[PATH_MAX];
	const struct stage_entry *e;

	/* no name of the change is that long */
	if (snprintf(inner, sizeof(inner), "%s%s%s", path, path[0] ? "/" : "", name) >=
	    (int)sizeof(inner))
		return 1;
	e = stage_delta_get(d, tree, inner);
	return !e || e->op != STAGE_DELETE;
}

int stage_equal_stranger(int top, const char *path, const struct stage_delta *d, unsigned tree,
			 char *ret_name, size_t cap)
{
	int fd = sys_open_beneath(top, path[0] ? path : ".",
				  O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, STAGE_RESOLVE);
	DIR *dir;
	int r = 0;

	if (fd < 0)
		return -errno;
	dir = fdopendir(fd);
	if (!dir) {
		r = -errno;
		(void)close(fd);
		return r;
	}
	while (r == 0) {
		struct dirent *e;

		errno = 0;
		e = readdir(dir);
		if (!e) {
			r = -errno;
			break;
		}
		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
			continue;
		r = is_stranger(d, tree, path, e->d_name);
		if (r == 1)
			io_escape(ret_name, cap, e->d_name, strlen(e->d_name));
	}
	(void)closedir(dir);
	return r;
}
