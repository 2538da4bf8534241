/*
 * Removes what a run has made.  A run can make directories deeper than any path may be
 * long, so each is moved to the top before it is looked into.
 */
#include "runtime/stage/stage_remove.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/base/sys.h"

struct removal {
	int top;      /* directories wait here as "d-N" */
	unsigned long first, next;
};

static int open_dir(int at, const char *name)
{
	int fd;

	if (fchmodat(at, name, 0700, 0) != 0)
		return -errno;
	fd = sys_openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0);
	return fd < 0 ? -errno : fd;
}

static int drop(struct removal *x, int at, const char *name)
{
	char queued[32];
	struct stat st;

	if (fstatat(at, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return errno == ENOENT ? 0 : -errno;
	if (!S_ISDIR(st.st_mode))
		return unlinkat(at, name, 0) == 0 ? 0 : -errno;
	/* a directory that is moved must be writable itself */
	if (fchmodat(at, name, 0700, 0) != 0)
		return -errno;
	(void)snprintf(queued, sizeof(queued), "d-%lu", x->next++);
	return renameat(at, name, x->top, queued) == 0 ? 0 : -errno;
}

static int empty(struct removal *x, int fd, bool top)
{
	DIR *d = fdopendir(fd);
	int r = 0;

	if (!d) {
		r = -errno;
		(void)close(fd);
		return r;
	}
	while (r == 0) {
		struct dirent *e;

		errno = 0;
		e = readdir(d);
		if (!e) {
			r = -errno;
			break;
		}
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0 &&
		    !(top && !strncmp(e->d_name, "d-", 2)))
			r = drop(x, dirfd(d), e->d_name);
	}
	(void)closedir(d);
	return r;
}

/* What an earlier removal, which was killed, has queued. */
static int find_queued(struct removal *x, int fd)
{
	DIR *d = fdopendir(fd);
	const struct dirent *e;
	unsigned long n;

	if (!d) {
		int r = -errno;

		(void)close(fd);
		return r;
	}
	while ((e = readdir(d)))
		if (sscanf(e->d_name, "d-%lu", &n) == 1 && n >= x->next)
			x->next = n + 1;
	(void)closedir(d);
	return 0;
}

int stage_remove_tree(int dir, const char *name)
{
	AUTO_CLOSE int top = open_dir(dir, name);
	struct removal x = { .top = top };
	int r, fd;

	if (top < 0)
		return top == -ENOENT ? 0 : top;
	fd = open_dir(dir, name);
	r = fd < 0 ? fd : find_queued(&x, fd);
	if (r == 0)
		r = (fd = open_dir(dir, name)) < 0 ? fd : empty(&x, fd, true);
	for (; x.first < x.next && r == 0; x.first++) {
		char queued[32];

		(void)snprintf(queued, sizeof(queued), "d-%lu", x.first);
		fd = open_dir(top, queued);
		if (fd == -ENOENT)
			continue;
		r = fd < 0 ? fd : empty(&x, fd, false);
		if (r == 0 && unlinkat(top, queued, AT_REMOVEDIR) != 0)
			r = -errno;
	}
	if (r == 0 && unlinkat(dir, name, AT_REMOVEDIR) != 0)
		r = -errno;
	return r;
}
