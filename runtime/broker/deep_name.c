/* Finds out names that the kernel does not tell: see deep_name.h. */
#include "runtime/broker/deep_name.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/base/sys.h"
#include "runtime/broker/below.h"
#include "runtime/broker/tracee.h"

#define READ_SIZE 32768

/* --- directories -------------------------------------------------------------------------- */

struct climb {
	int proc_fd;
	struct deep_last *last;
	unsigned levels, reads;
	_Alignas(8) char read[READ_SIZE];
	/* the names below the directory reached, with a '/' before each: they are met from the last to the
	 * first, and lie at the end */
	size_t at;
	char names[NAME_TEXT_MOST];
};

static bool same_object(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static bool is_it(int dir, const char *name, const struct stat *what)
{
	struct stat st;

	return fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && same_object(&st, what);
}

static bool put_name(struct climb *c, const char *name)
{
	size_t n = strlen(name);

	if (c->at < n + 1)
		return false;
	c->at -= n + 1;
	c->names[c->at] = '/';
	memcpy(c->names + c->at + 1, name, n);
	return true;
}

/*
 * The name of the directory `what` in `dir`.  `by_number`: only entries with its number are asked
 * about; a mount point, and what some file systems list, have another one.
 */
static int search(struct climb *c, int dir, const struct stat *what, bool by_number)
{
	long n;

	if (lseek(dir, 0, SEEK_SET) != 0)
		return -errno;
	while ((n = syscall(SYS_getdents64, dir, c->read, sizeof(c->read))) > 0) {
		for (long at = 0; at < n;) {
			const struct dirent64 *e = (const void *)(c->read + at);

			at += e->d_reclen;
			if ((by_number && e->d_ino != what->st_ino) || strcmp(e->d_name, ".") == 0 ||
			    strcmp(e->d_name, "..") == 0 || !is_it(dir, e->d_name, what))
				continue;
			return put_name(c, e->d_name) ? 0 : -ENAMETOOLONG;
		}
		/* of most directories the first one is enough */
		if (++c->reads > c->levels + DEEP_NAME_READS)
			return -ENAMETOOLONG;
	}
	return n < 0 ? -errno : -ENOENT;
}

static bool told(const struct climb *c, int fd, struct name_text *ret)
{
	char name[32];

	(void)snprintf(name, sizeof(name), "self/fd/%d", fd);
	return tracee_link(c->proc_fd, name, ret->s);
}

/* --- the one that was named last ---------------------------------------------------------- */

void deep_last_release(struct deep_last *l)
{
	if (l->top >= 0)
		(void)close(l->top);
	free(l->text);
	*l = (struct deep_last)DEEP_LAST_NONE;
}

static void remember(struct deep_last *l, int top, size_t top_len, const char *text, int fd)
{
	int kept = fcntl(top, F_DUPFD_CLOEXEC, 0);
	struct stat st = { 0 };

	/* `top` may be its own */
	deep_last_release(l);
	*l = (struct deep_last){ .top = kept, .top_len = top_len, .text = strdup(text) };
	if (kept < 0 || !l->text || fstat(fd, &st) != 0)
		deep_last_release(l);
	l->dev = st.st_dev;
	l->ino = st.st_ino;
}

/* Is the first `len` bytes of the text what the directory `fd` is called now?  Then *ret is that. */
static bool is_called(const struct climb *c, int fd, size_t len, struct name_text *ret)
{
	const struct deep_last *l = c->last;
	const uint64_t resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
	struct stat st, found;

	if (len <= l->top_len || !told(c, l->top, ret) || strlen(ret->s) != l->top_len ||
	    memcmp(ret->s, l->text, l->top_len) != 0 || !name_text_room(ret, len + 1))
		return false;
	memcpy(ret->s, l->text, len);
	ret->s[len] = '\0';
	AUTO_CLOSE int at = broker_open_far(l->top, ret->s + l->top_len + 1, O_PATH | O_CLOEXEC, resolve);

	return at >= 0 && fstat(at, &found) == 0 && fstat(fd, &st) == 0 && same_object(&st, &found);
}

static bool is_last(const struct climb *c, int fd, struct name_text *ret)
{
	const struct deep_last *l = c->last;
	struct stat st;

	return l && l->top >= 0 && fstat(fd, &st) == 0 && st.st_dev == l->dev &&
	       st.st_ino == l->ino && is_called(c, fd, strlen(l->text), ret);
}

static bool is_above_last(const struct climb *c, int fd, struct name_text *ret)
{
	const struct deep_last *l = c->last;

	return l && l->top >= 0 &&
	       is_called(c, fd, (size_t)(strrchr(l->text, '/') - l->text), ret);
}

/* Goes up from the directory until its name is known.  *ret_top: this directory, to be closed, if it is the
 * kernel that tells it. */
static int climb(struct climb *c, int fd, struct name_text *ret, int *ret_top)
{
	AUTO_CLOSE int here = -1;

	if (is_last(c, fd, ret) || is_above_last(c, fd, ret))
		return 0;
	do {
		struct open_how how = { .flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC,
					.resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS };
		int up = sys_openat2(fd, "..", &how);
		struct stat st, top;
		int r = up < 0 || fstat(fd, &st) != 0 || fstat(up, &top) != 0 ? -errno : 0;

		/* above the root there is nothing, and it would have been told */
		if (r == 0 && same_object(&st, &top))
			r = -ENAMETOOLONG;
		if (r == 0)
			r = search(c, up, &st, true);
		if (r == -ENOENT)
			r = search(c, up, &st, false);
		if (here >= 0)
			(void)close(here);
		fd = here = up;
		if (r < 0)
			return r == -ENOENT ? r : -ENAMETOOLONG;
		if (++c->levels > DEEP_NAME_LEVELS)
			return -ENAMETOOLONG;
		if (is_last(c, fd, ret))
			return 0;
	} while (!told(c, fd, ret));
	*ret_top = io_steal_fd(&here);
	return 0;
}

int deep_name_of_dir(int proc_fd, int fd, struct deep_last *last, struct name_text *ret)
{
	struct climb *c = malloc(sizeof(*c));
	AUTO_CLOSE int top = -1;
	size_t have, rest;
	int r;

	if (!c || !name_text_room(ret, PATH_MAX)) {
		free(c);
		return -ENOMEM;
	}
	c->proc_fd = proc_fd;
	c->last = last;
	c->levels = c->reads = 0;
	c->at = sizeof(c->names);
	r = climb(c, fd, ret, &top);
	rest = sizeof(c->names) - c->at;
	have = r == 0 && ret->s[1] ? strlen(ret->s) : 0;
	if (r == 0 && tracee_is_gone(ret->s))
		r = -ENOENT;
	if (r == 0 && !name_text_room(ret, have + rest + 1))
		r = -ENAMETOOLONG;
	if (r == 0) {
		memcpy(ret->s + have, c->names + c->at, rest);
		ret->s[have + rest] = '\0';
	}
	if (r == 0 && last)
		remember(last, top >= 0 ? top : last->top, top >= 0 ? have : last->top_len, ret->s, fd);
	free(c);
	return r;
}

int deep_name_of_base(int proc_fd, pid_t pid, int dirfd, struct deep_last *last, struct name_text *ret)
{
	AUTO_CLOSE int fd = -1;
	int r = name_text_room(ret, PATH_MAX) ? tracee_base(proc_fd, pid, dirfd, ret->s) : -ENOMEM;

	if (r != -ENAMETOOLONG)
		return r;
	fd = tracee_open_base(proc_fd, pid, dirfd);
	return fd < 0 ? fd : deep_name_of_dir(proc_fd, fd, last, ret);
}

/* --- files ---------------------------------------------------------------------------------- */

/* Takes the name out of the line of /proc/PID/maps: a line break is "\012" there, all else is as it
 * is.  A name that has these four characters itself is not to be told apart. */
static int take_name(const char *text, const char *end, struct name_text *ret)
{
	size_t n = (size_t)(end - text);

	if (memmem(text, n, "\\012", 4) || !name_text_room(ret, n + 1))
		return -ENAMETOOLONG;
	memcpy(ret->s, text, n);
	ret->s[n] = '\0';
	return 0;
}

static int name_of_mapping(int proc_fd, const void *at, struct name_text *ret)
{
	AUTO_CLOSE int fd = sys_open_beneath(proc_fd, "self/maps", O_RDONLY | O_CLOEXEC,
					     RESOLVE_NO_MAGICLINKS);
	AUTO_FREE char *text = NULL;
	const char *name;
	char begin[32];
	char *line;
	size_t n;
	int r = fd < 0 ? -errno : io_read_all(fd, 4 * NAME_TEXT_MOST, &text, &n);

	if (r < 0)
		return -ENAMETOOLONG;
	(void)snprintf(begin, sizeof(begin), "%08lx-", (unsigned long)(uintptr_t)at);
	for (line = text; line && strncmp(line, begin, strlen(begin)) != 0;) {
		line = strchr(line, '\n');
		line += line != NULL;
	}
	name = line ? strchr(line, '/') : NULL;
	return name ? take_name(name, strchrnul(name, '\n'), ret) : -ENAMETOOLONG;
}

int deep_name_of_file(int proc_fd, int fd, struct name_text *ret)
{
	/* nothing of it is ever read */
	void *at = mmap(NULL, 1, PROT_NONE, MAP_PRIVATE, fd, 0);
	int r;

	if (at == MAP_FAILED)
		return -ENAMETOOLONG;
	r = name_of_mapping(proc_fd, at, ret);
	(void)munmap(at, 1);
	return r;
}
