/* Decides which program a file of the run's own holds, and when that is no longer so. */
#include "runtime/supervise/copies.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/statfs.h>
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

/* Of those that are not `done`: one without a copy if there is any, else any; and of these the one
 * that was started longest ago.  -1: all are done. */
static int oldest(const struct copies *c, const bool done[SANDBOX_COPIES])
{
	int best = -1;

	for (int i = 0; i < (int)SANDBOX_COPIES; i++) {
		const struct copy *f = &c->v[i], *b = best < 0 ? NULL : &c->v[best];

		if (done[i])
			continue;
		if (!b || (f->fd < 0) > (b->fd < 0) ||
		    ((f->fd < 0) == (b->fd < 0) && f->last < b->last))
			best = i;
	}
	return best;
}

static off_t taken(const struct copies *c)
{
	off_t sum = 0;

	for (uint32_t i = 0; i < SANDBOX_COPIES; i++)
		sum += c->v[i].size;
	return sum;
}

/* Empties files that nobody uses until all together take no more than `most`. */
static void empty(struct copies *c, off_t most)
{
	bool done[SANDBOX_COPIES] = { false };
	off_t left = taken(c);
	int i;

	while (left > most && (i = oldest(c, done)) >= 0) {
		struct copy *f = &c->v[i];
		AUTO_CLOSE int fd = f->size ? open_file(c, (uint32_t)i) : -1;

		done[i] = true;
		if (fd < 0 || ftruncate(fd, 0) != 0)
			continue;
		left -= f->size;
		f->size = 0;
		if (f->fd >= 0)
			(void)forget(c, f);
	}
}

int copies_wait(const struct copies *c, int64_t now_ms)
{
	int64_t left = c->looked_ms + COPIES_IDLE_MS - now_ms;

	return !c->used ? -1 : left > 0 ? (int)left : 0;
}

void copies_look(struct copies *c)
{
	c->looked_ms = sys_now_ms();
	for (uint32_t i = 0; c->used && i < SANDBOX_COPIES; i++)
		if (c->v[i].fd >= 0 && !is_unchanged(&c->v[i]))
			(void)forget(c, &c->v[i]);
}

static int find_changed(struct copies *c, dev_t dev, ino_t ino, int *ret)
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

int copies_changed(struct copies *c, dev_t dev, ino_t ino, int *ret)
{
	int r = find_changed(c, dev, ino, ret);

	if (c->used && sys_now_ms() - c->looked_ms >= COPIES_LOOK_MS)
		copies_look(c);
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

/* Opens a file that nobody uses, in the order of oldest(); *ret is its number, and it holds nothing
 * any more.  A descriptor, -EAGAIN if all are in use, or -errno. */
static int take_file(struct copies *c, uint32_t *ret)
{
	bool done[SANDBOX_COPIES] = { false };
	int fd = -ETXTBSY, i;

	while (fd == -ETXTBSY && (i = oldest(c, done)) >= 0) {
		fd = open_file(c, (uint32_t)i);
		done[i] = true;
		*ret = (uint32_t)i;
	}
	if (fd < 0)
		return fd == -ETXTBSY ? -EAGAIN : fd;
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

static int fill(struct copies *c, uint32_t i, int to, int object)
{
	AUTO_CLOSE int from = broker_reopen(c->held->broker, object, O_RDONLY);
	struct copy *f = &c->v[i];

	if (from < 0)
		return from;
	/* as the kernel, which starts nothing that somebody writes; where it cannot be known, that
	 * it is unchanged is looked at */
	if (held_ask(from, F_RDLCK) == -EAGAIN)
		return -ETXTBSY;
	if (fstat(from, &f->was) != 0)
		return -errno;
	f->size = f->was.st_size;
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
	if (r < 0 && to >= 0 && ftruncate(to, 0) == 0)
		c->v[i].size = 0;
	if (to >= 0)
		(void)close(to);
	if (r == 0)
		r = attach_over(&c->attach, i, object);
	if (r < 0) {
		(void)close(kept);
		return r;
	}
	c->v[i].fd = kept;
	c->v[i].last = ++c->starts;
	c->used++;
	return 0;
}

static off_t less(off_t a, off_t b)
{
	return a > b ? a - b : 0;
}

static int copy(struct copies *c, int object)
{
	struct statfs disk;
	struct stat st;
	off_t before;
	int r;

	if (fstat(object, &st) != 0 || SYS_RETRY(fstatfs(c->dir, &disk)) != 0)
		return -errno;
	if (st.st_size > COPIES_LARGEST)
		return -EFBIG;
	/* the other half is for the run's own files */
	empty(c, less((off_t)disk.f_blocks * disk.f_bsize / 2, st.st_size));
	do {
		r = try_copy(c, object);
		before = taken(c);
		if (r == -ENOSPC)
			empty(c, less(before, st.st_size));
	} while (r == -ENOSPC && taken(c) < before);
	return r;
}

int copies_start(struct copies *c, int object, dev_t dev, ino_t ino)
{
	AUTO_CLOSE int changed = -1;
	struct copy *f;
	int r;

	r = copies_changed(c, dev, ino, &changed);
	if (r < 0 || sandbox_programs_have(&c->known, dev, ino))
		return r;
	f = changed < 0 ? at_file(c, dev, ino) : NULL;
	if (!f)
		return copy(c, changed >= 0 ? changed : object);
	f->last = ++c->starts;
	return 0;
}
