/*
 * What is known of an object: enough to say later whether it is still the same and
 * unchanged.  A change of a file's content, mode, owner, attributes or names sets its
 * ctime, which no ordinary user can set back.
 *
 * A file system counts time in steps (4 ms on most, 2 s on some): a file that was changed
 * just before it was looked at may be changed again without another ctime.  The content
 * of such a *fresh* file is digested as well (BLAKE2b-256).
 */
#ifndef RUNTIME_STAGE_STAGE_STAT_H
#define RUNTIME_STAGE_STAGE_STAT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <time.h>

enum { STAGE_DIGEST = 32, STAGE_FRESH_SECONDS = 3 };

enum stage_known {
	STAGE_BY_TIMES,   /* sizes and times are enough */
	STAGE_BY_DIGEST,  /* `digest` is of the content, or of a link's target */
	STAGE_UNREAD      /* it could not be read: nothing about its content is known */
};

struct stage_stat {
	uint32_t mode, uid, gid, nlink;
	uint64_t dev, ino, size;
	struct timespec mtime, ctime;
	enum stage_known known;
	uint8_t digest[STAGE_DIGEST];
};

void stage_stat_of(const struct stat *st, struct stage_stat *ret);
/* Was it changed so shortly before `now` that its times do not tell a later change? */
bool stage_stat_fresh(const struct stage_stat *s, const struct timespec *now);
/* The same object, as far as a rename leaves it: everything but the ctime and the number
 * of names; of a directory neither size nor times. */
bool stage_stat_same(const struct stage_stat *a, const struct stage_stat *b);
/* And the ctime. */
bool stage_stat_unchanged(const struct stage_stat *a, const struct stage_stat *b);
/* "file", "directory", "link", "fifo", "socket", "device". */
const char *stage_stat_kind(uint32_t mode);

/* True if some process has the file open for writing, or mapped.  `fd` is open for reading.  True also if the kernel
 * does not answer: the file system has no leases, or root lacks CAP_LEASE for another user's file. */
bool stage_has_writer(int fd);

/* The digest of the content of `fd`, from its beginning.  0 or -errno. */
int stage_digest_fd(int fd, uint8_t ret[STAGE_DIGEST]);
/* The digest of what is at `name` in `dir` (no link is followed): a file's content, a
 * link's target.  -EINVAL: neither; -errno. */
int stage_digest_at(int dir, const char *name, uint8_t ret[STAGE_DIGEST]);

#endif
