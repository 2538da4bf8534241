/*
 * Opens the file once and reads it into private memory: never mmap, since its
 * owner could rewrite it under our eyes.  Who may have written it is decided
 * here, on the descriptor.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/bundle/reader.h"

static int open_once(const char *path, int *ret_fd, struct rt_err *err)
{
	/* O_NONBLOCK: a FIFO in its place must not hold us up. */
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

	if (fd >= 0) {
		*ret_fd = fd;
		return 0;
	}
	if (errno == ELOOP)
		return rt_fail(err, ELOOP,
			       "bundle '%s' is a symbolic link: name the file itself", path);
	return rt_fail_errno(err, errno, "bundle '%s' cannot be opened", path);
}

static int check_file(int fd, const char *path, size_t *ret_size, struct rt_err *err)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return rt_fail_errno(err, errno, "bundle '%s'", path);
	if (!S_ISREG(st.st_mode))
		return rt_fail(err, EINVAL, "bundle '%s' is no regular file", path);
	if (st.st_uid != 0 && st.st_uid != getuid())
		return rt_fail(err, EPERM,
			       "bundle '%s' belongs to uid %u: neither root nor the caller",
			       path, st.st_uid);
	if (st.st_mode & (S_IWGRP | S_IWOTH))
		return rt_fail(err, EPERM,
			       "bundle '%s' is writable by its group or others (mode %04o): "
			       "chmod go-w",
			       path, (unsigned)st.st_mode & 07777);
	if (st.st_size > (off_t)PB_MAX_BUNDLE)
		return rt_fail(err, EFBIG, "bundle '%s' is larger than %u MiB", path,
			       PB_MAX_BUNDLE >> 20);
	*ret_size = (size_t)st.st_size;
	return 0;
}

/* One byte more than it should have shows that the file grew. */
static int read_whole(int fd, const char *path, uint8_t *buf, size_t size,
		      struct rt_err *err)
{
	size_t at = 0;

	while (at <= size) {
		ssize_t n = read(fd, buf + at, size + 1 - at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return rt_fail_errno(err, errno, "bundle '%s' cannot be read", path);
		if (n == 0)
			break;
		at += (size_t)n;
	}
	if (at != size)
		return rt_fail(err, EAGAIN, "bundle '%s' changed while it was read", path);
	return 0;
}

/* The parser knows no path; the message should. */
static void name_file(struct rt_err *err, const char *path)
{
	char text[sizeof(err->text)];

	if (!err)
		return;
	memcpy(text, err->text, sizeof(text));
	(void)rt_fail(err, err->err, "bundle '%.150s': %.230s", path, text);
}

int bundle_open(const char *path, struct bundle *ret, struct rt_err *err)
{
	AUTO_CLOSE int fd = -1;
	uint8_t *buf;
	size_t size = 0;
	int r;

	r = open_once(path, &fd, err);
	if (r < 0)
		return r;
	r = check_file(fd, path, &size, err);
	if (r < 0)
		return r;
	buf = malloc(size + 1);
	if (!buf)
		return rt_fail(err, ENOMEM, "bundle '%s': out of memory", path);
	r = read_whole(fd, path, buf, size, err);
	if (r < 0) {
		free(buf);
		return r;
	}
	r = bundle_parse(buf, size, ret, err);
	if (r < 0)
		name_file(err, path);
	return r;
}
