/* Decides when two looks at a name have seen the same, unchanged object. */
#include "runtime/stage/stage_stat.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include <sodium.h>

#include "runtime/base/io.h"
#include "runtime/base/sys.h"

void stage_stat_of(const struct stat *st, struct stage_stat *ret)
{
	*ret = (struct stage_stat){
		.mode = st->st_mode, .uid = st->st_uid, .gid = st->st_gid,
		.nlink = (uint32_t)st->st_nlink, .dev = st->st_dev, .ino = st->st_ino,
		.size = (uint64_t)st->st_size, .mtime = st->st_mtim, .ctime = st->st_ctim,
	};
}

bool stage_stat_fresh(const struct stage_stat *s, const struct timespec *now)
{
	return s->ctime.tv_sec >= now->tv_sec - STAGE_FRESH_SECONDS ||
	       s->mtime.tv_sec >= now->tv_sec - STAGE_FRESH_SECONDS;
}

static bool same_time(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

bool stage_stat_same(const struct stage_stat *a, const struct stage_stat *b)
{
	if (a->dev != b->dev || a->ino != b->ino || a->mode != b->mode || a->uid != b->uid ||
	    a->gid != b->gid)
		return false;
	return S_ISDIR(a->mode) || (a->size == b->size && same_time(&a->mtime, &b->mtime));
}

bool stage_stat_unchanged(const struct stage_stat *a, const struct stage_stat *b)
{
	return stage_stat_same(a, b) &&
	       (S_ISDIR(a->mode) || same_time(&a->ctime, &b->ctime));
}

const char *stage_stat_kind(uint32_t mode)
{
	switch (mode & S_IFMT) {
	case S_IFREG:
		return "file";
	case S_IFDIR:
		return "directory";
	case S_IFLNK:
		return "link";
	case S_IFIFO:
		return "fifo";
	case S_IFSOCK:
		return "socket";
	default:
		return "device";
	}
}

int stage_digest_fd(int fd, uint8_t ret[STAGE_DIGEST])
{
	crypto_generichash_state st;
	uint8_t buf[1 << 16];
	/* read(2): a supervisor has no pread(2) */
	if (lseek(fd, 0, SEEK_SET) != 0)
		return -errno;

	(void)crypto_generichash_init(&st, NULL, 0, STAGE_DIGEST);
	for (;;) {
		ssize_t n = SYS_RETRY(read(fd, buf, sizeof(buf)));

		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		(void)crypto_generichash_update(&st, buf, (size_t)n);
	}
	(void)crypto_generichash_final(&st, ret, STAGE_DIGEST);
	return 0;
}

int stage_digest_at(int dir, const char *name, uint8_t ret[STAGE_DIGEST])
{
	char target[PATH_MAX];
	ssize_t n = readlinkat(dir, name, target, sizeof(target));
	struct stat st;

	if (n >= 0)
		return crypto_generichash(ret, STAGE_DIGEST, (const uint8_t *)target, (size_t)n,
					  NULL, 0) == 0 ? 0 : -EINVAL;
	if (errno != EINVAL)
		return -errno;
	/* a FIFO must not make the caller wait */
	AUTO_CLOSE int fd = sys_openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY |
				       O_CLOEXEC, 0);

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) != 0)
		return -errno;
	return S_ISREG(st.st_mode) ? stage_digest_fd(fd, ret) : -EINVAL;
}

bool stage_has_writer(int fd)
{
	if (fcntl(fd, F_SETLEASE, F_RDLCK) != 0)
		return true;
	(void)fcntl(fd, F_SETLEASE, F_UNLCK);
	return false;
}
