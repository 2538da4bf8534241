/* Copies one object: its bytes, holes, attributes, mode and time. */
#include "runtime/stage/stage_make.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/base/sys.h"
#include "runtime/stage/stage_attr.h"
#include "runtime/stage/stage_equal.h"

enum { PIECE = 1 << 18 };

static int copy_by_hand(int in, int out, off_t at, off_t end)
{
	AUTO_FREE char *buf = malloc(PIECE);

	if (!buf)
		return -ENOMEM;
	if (lseek(out, at, SEEK_SET) < 0)
		return -errno;
	while (at < end) {
		size_t want = end - at < PIECE ? (size_t)(end - at) : PIECE;
		ssize_t n = SYS_RETRY(pread(in, buf, want, at));
		int r;

		if (n < 0)
			return -errno;
		if (n == 0)
			return -EIO; /* it has become shorter: nobody may write there */
		r = io_write_all(out, buf, (size_t)n);
		if (r < 0)
			return r;
		at += n;
	}
	return 0;
}

/* File systems may share the blocks of the two files. */
static int copy_data(int in, int out, off_t at, off_t end)
{
	while (at < end) {
		off_t from = at, to = at;
		ssize_t n = copy_file_range(in, &from, out, &to, (size_t)(end - at), 0);

		if (n > 0) {
			at += n;
			continue;
		}
		if (n < 0 && (errno == ENOSPC || errno == EDQUOT || errno == EFBIG || errno == EIO))
			return -errno;
		return copy_by_hand(in, out, at, end);
	}
	return 0;
}

static int copy_bytes(int in, int out, uint64_t size)
{
	off_t end = (off_t)size, at = 0;

	while (at < end) {
		off_t data = lseek(in, at, SEEK_DATA), hole;
		int r;

		if (data < 0 && errno == ENXIO)
			break; /* a hole up to the end */
		if (data < 0)
			return -errno;
		hole = lseek(in, data, SEEK_HOLE);
		if (hole < 0)
			return -errno;
		r = copy_data(in, out, data, hole < end ? hole : end);
		if (r < 0)
			return r;
		at = hole;
	}
	return ftruncate(out, end) == 0 ? 0 : -errno;
}

static int set_times(const struct stage_entry *e, int fd)
{
	struct timespec t[2] = { { .tv_nsec = UTIME_OMIT }, e->now.mtime };
	char path[STAGE_FD_PATH];

	if (S_ISDIR(e->now.mode) || S_ISLNK(e->now.mode))
		return 0;
	return utimensat(AT_FDCWD, stage_fd_path(fd, path), t, 0) == 0 ? 0 : -errno;
}

/* What root commits is its tree's owner's, as the layer is. */
static bool is_other_owner(const struct stage_entry *e, const struct stat *st)
{
	return geteuid() == 0 && st->st_uid != e->now.uid;
}

/* The kernel may drop a set-group-id bit silently. */
static int set_mode(const struct stage_entry *e, int fd)
{
	char path[STAGE_FD_PATH];
	mode_t mode = e->now.mode & 07777;
	struct stat st;

	if (fstat(fd, &st) != 0)
		return -errno;
	if ((st.st_gid != e->now.gid || is_other_owner(e, &st)) &&
	    fchownat(AT_FDCWD, stage_fd_path(fd, path), geteuid() == 0 ? e->now.uid : (uid_t)-1,
		     e->now.gid, 0) != 0)
		return -errno;
	if (fchmodat(AT_FDCWD, stage_fd_path(fd, path), mode, 0) != 0 || fstat(fd, &st) != 0)
		return -errno;
	return (st.st_mode & 07777) == mode ? 0 : -EPERM;
}

static int set_attrs(int upper, const struct stage_entry *e, int fd)
{
	AUTO_CLOSE int in = stage_upper_open(upper, e, O_PATH);
	struct stage_attrs a;
	int r;

	if (in < 0)
		return in;
	r = stage_attrs_read(in, &a);
	if (r < 0)
		return r;
	r = stage_attrs_apply(fd, &a);
	stage_attrs_release(&a);
	return r;
}

int stage_set(int upper, const struct stage_entry *e, int fd)
{
	int r = 0;

	if (e->op == STAGE_TIMES)
		return set_times(e, fd);
	if (e->attrs)
		r = set_attrs(upper, e, fd);
	return r < 0 ? r : set_mode(e, fd);
}

static int fill_file(int upper, const struct stage_entry *e, int out)
{
	AUTO_CLOSE int in = stage_upper_open(upper, e, O_RDONLY);
	int r = in < 0 ? in : copy_bytes(in, out, e->now.size);

	if (r == 0)
		r = set_attrs(upper, e, out);
	if (r == 0)
		r = set_mode(e, out);
	if (r == 0)
		r = set_times(e, out);
	return r == 0 && fsync(out) != 0 ? -errno : r;
}

static int make_file(int upper, const struct stage_entry *e, int parent, const char *temp)
{
	AUTO_CLOSE int out = sys_openat(parent, temp, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
					0600);
	int r;

	if (out < 0)
		return -errno;
	r = fill_file(upper, e, out);
	if (r < 0)
		(void)unlinkat(parent, temp, 0);
	return r;
}

int stage_make_unnamed(int upper, const struct stage_entry *e, int parent)
{
	AUTO_CLOSE int out = sys_openat(parent, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	AUTO_CLOSE int in = -1;
	char path[STAGE_FD_PATH];
	int r;

	if (out < 0)
		return -errno;
	/* before the mode may forbid it */
	in = sys_open(stage_fd_path(out, path), O_RDONLY | O_CLOEXEC, 0);
	r = in < 0 ? -errno : fill_file(upper, e, out);
	return r < 0 ? r : io_steal_fd(&in);
}

int stage_give_name(int fd, int parent, const char *name)
{
	char path[STAGE_FD_PATH];

	return linkat(AT_FDCWD, stage_fd_path(fd, path), parent, name, AT_SYMLINK_FOLLOW) == 0 ? 0 : -errno;
}

static int make_other(int upper, const struct stage_entry *e, int parent, const char *temp)
{
	AUTO_CLOSE int fd = -1;
	bool dir = S_ISDIR(e->now.mode);
	int r;

	if (S_ISLNK(e->now.mode)) {
		if (symlinkat(e->target, parent, temp) != 0)
			return -errno;
		return geteuid() != 0 || fchownat(parent, temp, e->now.uid, e->now.gid,
						  AT_SYMLINK_NOFOLLOW) == 0 ? 0 : -errno;
	}
	if ((dir ? mkdirat(parent, temp, 0700) : mknodat(parent, temp, S_IFIFO | 0600, 0)) != 0)
		return -errno;
	fd = sys_openat(parent, temp, O_PATH | O_NOFOLLOW | O_CLOEXEC, 0);
	r = fd < 0 ? -errno : 0;
	if (r == 0 && dir)
		r = set_attrs(upper, e, fd);
	if (r == 0)
		r = set_mode(e, fd);
	if (r == 0)
		r = set_times(e, fd);
	if (r < 0)
		(void)unlinkat(parent, temp, dir ? AT_REMOVEDIR : 0);
	return r;
}

int stage_make(int upper, const struct stage_entry *e, int parent, const char *temp,
	       struct stage_stat *ret)
{
	struct stat st;
	int r = S_ISREG(e->now.mode) ? make_file(upper, e, parent, temp) :
				       make_other(upper, e, parent, temp);

	if (r < 0)
		return r;
	if (fstatat(parent, temp, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return -errno;
	stage_stat_of(&st, ret);
	return 0;
}
