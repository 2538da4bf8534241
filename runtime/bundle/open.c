/*
 * Opens the file once and reads it into private memory. It does not use mmap, since the
 * file's owner could rewrite it while we read. Decides on the descriptor who may have
 * written the file.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/base/sys.h"
#include "runtime/base/writers.h"
#include "runtime/bundle/common.h"
#include "runtime/bundle/common_bytes.h"
#include "runtime/bundle/members.h"
#include "runtime/bundle/reader.h"
#include "runtime/bundle/tar.h"

#define READ_AT_ONCE ((size_t)4 * 4096)
/* A bundle of some thousand rules. Of such a size a run reads 1 MiB and more. */
#define LARGE ((size_t)6 * 1024 * 1024)
#define HUGE_PAGE ((size_t)2 * 1024 * 1024)

static int open_once(const char *path, int *ret_fd, struct rt_err *err)
{
	/* O_NONBLOCK: a FIFO in the file's place must not block us. */
	int fd = sys_open(
		path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0);

	if (fd >= 0) {
		*ret_fd = fd;
		return 0;
	}
	if (errno == ELOOP)
		return rt_fail(err, ELOOP,
			       "bundle '%s' is a symbolic link: name the file itself",
			       path);
	return rt_fail_errno(err, errno, "bundle '%s' cannot be opened", path);
}

static int check_file(int fd, const char *path, size_t *ret_size, struct rt_err *err)
{
	const char *why;
	struct stat st;

	if (fstat(fd, &st) < 0)
		return rt_fail_errno(err, errno, "bundle '%s'", path);
	if (!S_ISREG(st.st_mode))
		return rt_fail(err, EINVAL, "bundle '%s' is no regular file", path);
	if (st.st_uid != 0 && st.st_uid != getuid())
		return rt_fail(
			err, EPERM,
			"bundle '%s' belongs to uid %u: neither root nor the caller",
			path, st.st_uid);
	why = writers_others(path, fd, &st);
	if (why)
		return writers_refuse(err, "bundle", path, &st, why);
	if (st.st_size > (off_t)PB_MAX_BUNDLE)
		return rt_fail(err, EFBIG, "bundle '%s' is larger than %u MiB", path,
			       PB_MAX_BUNDLE >> 20);
	*ret_size = (size_t)st.st_size;
	return 0;
}

static int read_at(int fd, const char *path, uint8_t *buf, size_t at, size_t size,
		   struct rt_err *err)
{
	while (size > 0) {
		ssize_t n = pread(fd, buf + at, size, (off_t)at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return rt_fail_errno(err, errno, "bundle '%s' cannot be read",
					     path);
		if (n == 0)
			return rt_fail(err, EAGAIN,
				       "bundle '%s' changed while it was read", path);
		at += (size_t)n;
		size -= (size_t)n;
	}
	return 0;
}

/* If one more byte can be read, the file grew. */
static int check_end(int fd, const char *path, size_t size, struct rt_err *err)
{
	char more;
	ssize_t n = SYS_RETRY(pread(fd, &more, 1, (off_t)size));

	if (n < 0)
		return rt_fail_errno(err, errno, "bundle '%s' cannot be read", path);
	if (n != 0)
		return rt_fail(err, EAGAIN, "bundle '%s' changed while it was read",
			       path);
	return 0;
}

/*
 * Is this the header of a commands.bin whose bytes the program has?  The manifest, the
 * first member, says so; if it turns out to say something else, what is in the place of
 * the bytes will not have their digest.
 */
static bool is_common(const uint8_t *buf, const char *path, size_t data)
{
	size_t manifest;

	return strcmp(path, PB_COMMANDS) == 0 && data == bundle_common.size &&
	       tar_peek(buf, &manifest) && bundle_common_in(buf + TAR_BLOCK, manifest);
}

/* The file, and how much of it was read or left out. */
struct reading {
	int fd;
	const char *path;
	uint8_t *buf;
	size_t size, have;
};

/* Reads up to `to`, and some more: the next header and a small member. */
static int read_to(struct reading *f, size_t to, struct rt_err *err)
{
	size_t n = to > f->have ? to - f->have : 0;
	int r;

	if (!n)
		return 0;
	if (n < READ_AT_ONCE)
		n = READ_AT_ONCE;
	if (n > f->size - f->have)
		n = f->size - f->have;
	/* gets all pages at once instead of by one fault after another */
	sys_advise(f->buf + f->have, n, MADV_POPULATE_WRITE);
	r = read_at(f->fd, f->path, f->buf, f->have, n, err);
	f->have += n;
	return r;
}

/*
 * Reads header by header with the data that follows, and leaves out the data of a common
 * member.  Ends at the first idle member; all that follow are idle as well.  From the
 * first header that is not canonical (such as the end of the archive) on, all is read as
 * it is, and bundle_parse() judges it.
 */
static int read_needed(int fd, const char *path, uint8_t *buf, size_t size,
		       struct rt_err *err)
{
	struct reading f = { fd, path, buf, size, 0 };
	size_t at = 0, data;
	int r = 0;

	while (r == 0 && size - at >= TAR_BLOCK) {
		const char *name = (const char *)buf + at;

		r = read_to(&f, at + TAR_BLOCK, err);
		if (r < 0 || !tar_peek(buf + at, &data) || data > size ||
		    tar_padded(data) > size - at - TAR_BLOCK)
			break;
		if (member_is_idle(name, strlen(name)))
			return 0;
		at += TAR_BLOCK;
		if (is_common(buf, name, data) && f.have < at + tar_padded(data))
			f.have = at + tar_padded(data);
		at += tar_padded(data);
		r = read_to(&f, at, err);
	}
	return r < 0 ? r : read_to(&f, size, err);
}

/*
 * Getting and giving back pages of 4 KiB takes longer than the digests of what is read into
 * them, so a large bundle is read into huge ones, where the kernel has some. The bytes that a
 * run does not read are then whatever the memory held: no digest fits them.
 */
static uint8_t *room_for(size_t size)
{
	uint8_t *p;

	if (size < LARGE)
		return calloc(1, size + 1);
	p = aligned_alloc(HUGE_PAGE, (size / HUGE_PAGE + 1) * HUGE_PAGE);
	if (!p)
		return NULL;
	sys_advise(p, size, MADV_HUGEPAGE);
	p[size] = 0;
	return p;
}

/* The parser does not know the path, but the message should name it. */
static void name_file(struct rt_err *err, const char *path)
{
	char text[sizeof(err->text)];

	if (!err)
		return;
	memcpy(text, err->text, sizeof(text));
	(void)rt_fail(err, err->err, "bundle '%.150s': %.230s", path, text);
}

int bundle_open_gated(const char *path, bool run,
		      int (*gate)(void *ctx, const struct bundle *b, struct rt_err *err),
		      void *ctx, struct bundle *ret, struct rt_err *err)
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
	buf = room_for(size);
	if (!buf)
		return rt_fail(err, ENOMEM, "bundle '%s': out of memory", path);
	r = run ? read_needed(fd, path, buf, size, err) :
		  read_at(fd, path, buf, 0, size, err);
	if (r == 0)
		r = check_end(fd, path, size, err);
	if (r < 0) {
		free(buf);
		return r;
	}
	r = bundle_parse_gated(buf, size, run, gate, ctx, ret, err);
	if (r < 0)
		name_file(err, path);
	return r;
}

int bundle_open(const char *path, struct bundle *ret, struct rt_err *err)
{
	return bundle_open_gated(path, false, NULL, NULL, ret, err);
}

int bundle_open_run(const char *path, struct bundle *ret, struct rt_err *err)
{
	return bundle_open_gated(path, true, NULL, NULL, ret, err);
}
