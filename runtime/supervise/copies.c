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
	*c = (struct copies){ .attach = ATTACH_NONE, .dir = -1, .job.to = -1 };
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

int copies_init(struct copies *c, struct held *held, struct sandbox_child *child,
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
	if (c->job.to >= 0)
		(void)close(c->job.to);
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

static bool same_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* The program as it was, under a name still. */
static bool same(const struct stat *st, const struct stat *was)
{
	return same_file(st, was) && st->st_nlink > 0 && st->st_size == was->st_size &&
	       st->st_mode == was->st_mode && same_time(&st->st_mtim, &was->st_mtim) &&
	       same_time(&st->st_ctim, &was->st_ctim);
}

static bool is_unchanged(const struct copy *f)
{
	struct stat st;

	return fstat(f->fd, &st) == 0 && same(&st, &f->was);
}

/* 0: the file system does not tell it from the one that has its inode later. */
static uint64_t number_of(int object)
{
	struct statx st;

	if (SYS_RETRY(statx(object, "", AT_EMPTY_PATH, STATX_INO | STATX_BTIME, &st)) != 0 ||
	    !(st.stx_mask & STATX_BTIME))
		return 0;
	return known_files_number(&st);
}

static struct copy *at_file(struct copies *c, uint64_t dev, uint64_t ino)
{
	for (uint32_t i = 0; dev == c->dev && i < SANDBOX_COPIES; i++)
		if (c->v[i].fd >= 0 && c->v[i].ino == ino)
			return &c->v[i];
	return NULL;
}

static int find_file(const struct copies *c, uint32_t i)
{
	struct open_how how = { .flags = O_PATH | O_NOFOLLOW | O_CLOEXEC,
				.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS };
	char name[SANDBOX_COPY_NAME];

	sandbox_copy_name(i, name);
	return sys_openat2(c->dir, name, &how);
}

/* The kernel knows whether a program runs from the file, or somebody only reads it; but who opens it for
 * writing, be it for a moment, keeps it from being started.  So that is tried only if somebody has it. */
bool copies_runs(const struct copies *c, int object, dev_t dev, ino_t ino)
{
	for (uint32_t i = 0; i < SANDBOX_COPIES; i++) {
		const struct copy *f = &c->v[i];

		if (!f->size || f->was.st_dev != dev || f->was.st_ino != ino)
			continue;
		/* the copy was taken away, and may still run; the program's inode number may have been reused */
		if (f->fd < 0 && (!f->number || f->number != number_of(object)))
			continue;
		AUTO_CLOSE int fd = find_file(c, i);
		AUTO_CLOSE int to = fd < 0 || !held_is_open(c->held, fd) ?
					    -1 :
					    broker_reopen(c->held->broker, fd, O_WRONLY);

		if (to == -ETXTBSY || to == -EACCES)
			return true;
	}
	return false;
}

/* Opens a file for what it is to hold; -ETXTBSY: a program runs from it, or somebody reads it. */
static int open_file(const struct copies *c, uint32_t i)
{
	AUTO_CLOSE int fd = find_file(c, i);
	char number[BROKER_FD_NAME];

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

	if ((!c->used && c->job.to < 0) || dir < 0 ||
	    fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH) != 0)
		return;
	c->job.touched |= c->job.to >= 0 && same_file(&c->job.was, &st);
	for (uint32_t i = 0; i < SANDBOX_COPIES; i++)
		if (c->v[i].fd >= 0 && same_file(&c->v[i].was, &st))
			(void)forget(c, &c->v[i]);
}

/* --- a start ----------------------------------------------------------------------------- */

static off_t less(off_t a, off_t b)
{
	return a > b ? a - b : 0;
}

/* Of the run's disk the other half is for its own files. */
static int leave_half(struct copies *c, off_t size)
{
	struct statfs disk;

	if (SYS_RETRY(fstatfs(c->dir, &disk)) != 0)
		return -errno;
	empty(c, less((off_t)disk.f_blocks * disk.f_bsize / 2, size));
	return 0;
}

/* Opens a file that nobody uses or is about to use, in the order of oldest(): *ret is its number.
 * -ETXTBSY: there is none; or -errno. */
static int open_free(struct copies *c, uint32_t *ret)
{
	bool done[SANDBOX_COPIES] = { false };
	int64_t now = sys_now_ms();
	int fd = -ETXTBSY, i;

	if (c->full_ms && now - c->full_ms < COPIES_FULL_MS)
		return -ETXTBSY;
	while (fd == -ETXTBSY && (i = oldest(c, done)) >= 0) {
		const struct copy *f = &c->v[i];

		done[i] = true;
		if (f->fd >= 0 && now - f->last_ms < COPIES_FRESH_MS)
			continue;
		fd = open_file(c, (uint32_t)i);
		*ret = (uint32_t)i;
	}
	c->full_ms = fd == -ETXTBSY ? now : 0;
	return fd;
}

/* The same for `size` bytes; it holds nothing any more.  A descriptor, -EAGAIN if there is none, or
 * -errno. */
static int take_file(struct copies *c, off_t size, uint32_t *ret)
{
	int fd = leave_half(c, size), r;

	if (fd == 0)
		fd = open_free(c, ret);
	if (fd < 0)
		return fd == -ETXTBSY ? -EAGAIN : fd;
	if (c->v[*ret].fd >= 0)
		(void)forget(c, &c->v[*ret]);
	if (SYS_RETRY(ftruncate(fd, 0)) != 0) {
		r = -errno;
		(void)close(fd);
		return r;
	}
	c->v[*ret].was = (struct stat){ 0 };
	c->v[*ret].size = size;
	return fd;
}

static void note_start(struct copies *c, struct copy *f)
{
	f->last = ++c->starts;
	f->last_ms = sys_now_ms();
}

/* What the file holds is no program. */
static void give_up(struct copies *c, uint32_t i, int to)
{
	if (ftruncate(to, 0) == 0)
		c->v[i].size = 0;
	(void)close(to);
}

/* The file holds what the program is, and is mounted over it.  Nobody has it open for writing then:
 * the kernel would not start it. */
static int finish(struct copies *c, uint32_t i, int to, int object, const struct stat *was)
{
	const struct timespec times[2] = { was->st_atim, was->st_mtim };
	int kept = fcntl(object, F_DUPFD_CLOEXEC, 0), r = kept < 0 ? -errno : 0;
	char name[BROKER_FD_NAME];

	broker_fd_name(to, name);
	if (r == 0 && (fchmodat(c->held->broker->self, name, was->st_mode & 0777, 0) != 0 ||
		       utimensat(c->held->broker->self, name, times, 0) != 0))
		r = -errno;
	if (r == 0)
		r = attach_over(&c->attach, i, object);
	if (r < 0) {
		if (kept >= 0)
			(void)close(kept);
		give_up(c, i, to);
		return r;
	}
	(void)close(to);
	c->v[i].fd = kept;
	c->v[i].was = *was;
	c->v[i].number = number_of(kept);
	note_start(c, &c->v[i]);
	c->used++;
	return 0;
}

/* `size` bytes, from where both stand. */
static int copy_bytes(int from, int to, off_t size)
{
	while (size > 0) {
		ssize_t n = SYS_RETRY(sendfile(to, from, NULL, (size_t)size));

		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		size -= n;
	}
	return 0;
}

/*
 * Opens a program for reading.  As the kernel, which starts nothing that somebody writes: where that
 * cannot be known, what it was is compared with what it is.  *ret is looked at afterwards: who has
 * written and closed it before is seen.  A descriptor or -errno.
 */
static int open_program(const struct copies *c, int object, struct stat *ret)
{
	AUTO_CLOSE int fd = broker_reopen(c->held->broker, object, O_RDONLY);

	if (fd < 0)
		return fd;
	if (held_ask(fd, F_RDLCK) == -EAGAIN)
		return -ETXTBSY;
	if (fstat(fd, ret) != 0)
		return -errno;
	return ret->st_size > COPIES_LARGEST ? -EFBIG : io_steal_fd(&fd);
}

/* Is the program as it was, now that it has been copied? */
static int check_still(const struct copies *c, int object, const struct stat *was)
{
	struct stat st;
	AUTO_CLOSE int fd = open_program(c, object, &st);

	return fd < 0 ? fd : same(&st, was) ? 0 : -ETXTBSY;
}

static int copy_now(struct copies *c, int object, int from, const struct stat *st)
{
	uint32_t i;
	int to = take_file(c, st->st_size, &i), r;

	if (to < 0)
		return to == -EAGAIN ? COPIES_FULL : to;
	r = lseek(from, 0, SEEK_SET) != 0 ? -errno : copy_bytes(from, to, st->st_size);
	if (r == 0)
		r = check_still(c, object, st);
	if (r == 0)
		return finish(c, i, to, object, st);
	give_up(c, i, to);
	return r;
}

static int begin_job(struct copies *c, int from, const struct stat *st)
{
	uint32_t i;
	int to = take_file(c, st->st_size, &i), r;

	if (to < 0)
		return to == -EAGAIN ? COPIES_FULL : to;
	r = attach_copy(&c->attach, from, to, st->st_size);
	if (r < 0) {
		give_up(c, i, to);
		return r;
	}
	c->job = (struct copies_job){ .to = to, .i = i, .was = *st };
	return COPIES_BEGUN;
}

static void drop_job(struct copies *c)
{
	give_up(c, c->job.i, io_steal_fd(&c->job.to));
}

int copies_fd(const struct copies *c)
{
	return c->job.to >= 0 && !c->job.over ? c->attach.copied : -1;
}

void copies_over(struct copies *c)
{
	c->job.r = attach_copied(&c->attach);
	c->job.over = true;
}

void copies_settle(struct copies *c)
{
	if (c->job.to >= 0 && c->job.over)
		drop_job(c);
}

/* The copy that was made, or another one. */
static int copy_later(struct copies *c, int object, int from, const struct stat *st)
{
	struct copies_job *job = &c->job;
	int r = 0;

	if (copies_fd(c) >= 0)
		return COPIES_BUSY;
	if (job->to >= 0 && job->r == 0 && !job->touched && same(st, &job->was))
		return finish(c, job->i, io_steal_fd(&job->to), object, st);
	if (job->to >= 0) {
		r = same_file(st, &job->was) ? job->r : 0;
		drop_job(c);
	}
	return r < 0 ? r : begin_job(c, from, st);
}

static bool make_room(struct copies *c, off_t size)
{
	off_t before = taken(c);

	empty(c, less(before, size));
	return taken(c) < before;
}

static int copy(struct copies *c, int object)
{
	struct stat st;
	AUTO_CLOSE int from = open_program(c, object, &st);
	int r;

	if (from < 0)
		return from;
	do {
		r = st.st_size > COPIES_AT_ONCE ? copy_later(c, object, from, &st) :
						  copy_now(c, object, from, &st);
	} while (r == -ENOSPC && make_room(c, st.st_size));
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
	note_start(c, f);
	return 0;
}
