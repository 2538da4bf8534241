/* Decides which program a file of the run's own holds, and when that is no longer so. */
#include "runtime/supervise/copies.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/sendfile.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/base/sys.h"

void copies_none(struct copies *c)
{
	*c = (struct copies){ .attach = ATTACH_NONE, .dir = -1 };
	for (uint32_t i = 0; i < SANDBOX_COPIES; i++)
		c->v[i].fd = -1;
}

static int note_files(struct copies *c)
{
	for (uint32_t i = 0; i < SANDBOX_COPIES; i++) {
		char name[SANDBOX_COPY_NAME];
		struct stat st;

		sandbox_copy_name(i, name);
		if (fstatat(c->dir, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
			return -errno;
		c->dev = st.st_dev;
		c->v[i].ino = st.st_ino;
	}
	return 0;
}

int copies_init(struct copies *c, const struct held *held, struct sandbox_child *child,
		struct rt_err *err)
{
	int r;

	copies_none(c);
	c->held = held;
	c->known = child->programs;
	child->programs = (struct sandbox_programs){ 0 };
	c->dir = io_steal_fd(&child->copies_fd);
	r = c->dir < 0 ? -EBADF : note_files(c);
	if (r < 0)
		return rt_fail_errno(err, -r, "the files for copies of programs");
	return attach_start(&c->attach, child->init_pidfd, c->dir, SANDBOX_COPIES, err);
}

void copies_release(struct copies *c)
{
	attach_release(&c->attach);
	for (uint32_t i = 0; i < SANDBOX_COPIES; i++)
		if (c->v[i].fd >= 0)
			(void)close(c->v[i].fd);
	if (c->dir >= 0)
		(void)close(c->dir);
	sandbox_programs_release(&c->known);
	copies_none(c);
}

/* --- what a file holds ------------------------------------------------------------------- */

static bool same_time(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

/* The program as it was, under a name still. */
static bool is_unchanged(const struct copy *f)
{
	struct stat st;

	return fstat(f->fd, &st) == 0 && st.st_nlink > 0 && st.st_size == f->was.st_size &&
	       st.st_mode == f->was.st_mode && same_time(&st.st_mtim, &f->was.st_mtim) &&
	       same_time(&st.st_ctim, &f->was.st_ctim);
}

static struct copy *at_file(struct copies *c, uint64_t dev, uint64_t ino)
{
	for (uint32_t i = 0; dev == c->dev && i < SANDBOX_COPIES; i++)
		if (c->v[i].fd >= 0 && c->v[i].ino == ino)
			return &c->v[i];
	return NULL;
}

/* Opens a file for what it is to hold; -ETXTBSY: a program runs from it, or somebody reads it. */
static int open_file(const struct copies *c, uint32_t i)
{
	struct open_how how = { .flags = O_PATH | O_NOFOLLOW | O_CLOEXEC,
				.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS };
	char name[SANDBOX_COPY_NAME], number[BROKER_FD_NAME];

	sandbox_copy_name(i, name);
	AUTO_CLOSE int fd = sys_openat2(c->dir, name, &how);

	if (fd < 0)
		return -errno;
	if (held_is_open(c->held, fd))
		return -ETXTBSY;
	/* it has the mode of the program that it held */
	broker_fd_name(fd, number);
	if (fchmodat(c->held->broker->self, number, 0700, 0) != 0)
		return -errno;
	return broker_reopen(c->held->broker, fd, O_WRONLY);
}

/* The mount goes; programs that run from the copy go on. */
static int forget(struct copies *c, struct copy *f)
{
	int r = attach_away(&c->attach, (uint32_t)(f - c->v));

	(void)close(f->fd);
	f->fd = -1;
	c->used--;
	return r;
}

/* Gives back what the files take that nobody uses now. */
static void empty(struct copies *c)
{
	for (uint32_t i = 0; i < SANDBOX_COPIES; i++) {
		AUTO_CLOSE int fd = open_file(c, i);

		if (fd < 0 || ftruncate(fd, 0) != 0)
			continue;
		if (c->v[i].fd >= 0)
			(void)forget(c, &c->v[i]);
	}
}

int copies_changed(struct copies *c, dev_t dev, ino_t ino, int *ret)
{
	struct copy *f = at_file(c, dev, ino);
	AUTO_CLOSE int fd = -1;
	int r;

	*ret = -1;
	if (!f || is_unchanged(f))
		return 0;
	fd = fcntl(f->fd, F_DUPFD_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	r = forget(c, f);
	if (r == 0)
		*ret = io_steal_fd(&fd);
	return r;
}

void copies_touch(struct copies *c, int dir, const char *name)
{
	struct stat st;

	if (!c->used || dir < 0 ||
	    fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH) != 0)
		return;
	for (uint32_t i = 0; i < SANDBOX_COPIES; i++)
		if (c->v[i].fd >= 0 && c->v[i].was.st_ino == st.st_ino &&
		    c->v[i].was.st_dev == st.st_dev)
			(void)forget(c, &c->v[i]);
}

/* --- a start ----------------------------------------------------------------------------- */

/* A file without a copy, else the one that has held its own for longest. */
static int take_file(struct copies *c, uint32_t *ret)
{
	int fd = -EAGAIN;

	for (uint32_t k = 0; k < 2 * SANDBOX_COPIES && fd < 0; k++) {
		uint32_t i = (c->next + k) % SANDBOX_COPIES;

		if (c->v[i].fd >= 0 && k < SANDBOX_COPIES && c->used < SANDBOX_COPIES)
			continue;
		fd = open_file(c, i);
		if (fd < 0 && fd != -ETXTBSY)
			return fd;
		*ret = i;
	}
	if (fd < 0)
		return -EAGAIN;
	c->next = (*ret + 1) % SANDBOX_COPIES;
	if (c->v[*ret].fd >= 0)
		(void)forget(c, &c->v[*ret]);
	return fd;
}

static int copy_bytes(const struct copies *c, int from, int to, const struct stat *st)
{
	char name[BROKER_FD_NAME];
	struct timespec times[2] = { st->st_atim, st->st_mtim };
	off_t left = st->st_size;

	if (SYS_RETRY(ftruncate(to, 0)) != 0 || lseek(from, 0, SEEK_SET) != 0)
		return -errno;
	while (left > 0) {
		ssize_t n = SYS_RETRY(sendfile(to, from, NULL, (size_t)left));

		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		left -= n;
	}
	broker_fd_name(to, name);
	return fchmodat(c->held->broker->self, name, st->st_mode & 0777, 0) == 0 &&
			       utimensat(c->held->broker->self, name, times, 0) == 0 ? 0 : -errno;
}

/* As the kernel, which starts nothing that somebody writes.  A lease (fcntl(2)) is only given
 * where nobody does; not every file system has any. */
static bool is_written(int fd)
{
	if (fcntl(fd, F_SETLEASE, F_RDLCK) != 0)
		return errno == EAGAIN;
	(void)fcntl(fd, F_SETLEASE, F_UNLCK);
	return false;
}

static int fill(struct copies *c, uint32_t i, int to, int object)
{
	AUTO_CLOSE int from = broker_reopen(c->held->broker, object, O_RDONLY);
	struct copy *f = &c->v[i];

	if (from < 0)
		return from;
	if (is_written(from))
		return -ETXTBSY;
	if (fstat(from, &f->was) != 0)
		return -errno;
	if (f->was.st_size > COPIES_LARGEST)
		return -EFBIG;
	return copy_bytes(c, from, to, &f->was);
}

static int try_copy(struct copies *c, int object)
{
	int kept = fcntl(object, F_DUPFD_CLOEXEC, 0), to, r;
	uint32_t i = 0;

	if (kept < 0)
		return -errno;
	to = take_file(c, &i);
	r = to < 0 ? to : fill(c, i, to, object);
	if (r < 0 && to >= 0)
		(void)!ftruncate(to, 0);
	if (to >= 0)
		(void)close(to);
	if (r == 0)
		r = attach_over(&c->attach, i, object);
	if (r < 0) {
		(void)close(kept);
		return r;
	}
	c->v[i].fd = kept;
	c->used++;
	return 0;
}

static int copy(struct copies *c, int object)
{
	int r = try_copy(c, object);

	if (r != -ENOSPC)
		return r;
	empty(c);
	return try_copy(c, object);
}

int copies_start(struct copies *c, int object, dev_t dev, ino_t ino)
{
	AUTO_CLOSE int changed = -1;
	int r;

	if (sandbox_programs_have(&c->known, dev, ino))
		return 0;
	r = copies_changed(c, dev, ino, &changed);
	if (r < 0 || (changed < 0 && at_file(c, dev, ino)))
		return r;
	return copy(c, changed >= 0 ? changed : object);
}
