/* Descriptors and memory with an owner; whole reads and whole writes. */
#ifndef RUNTIME_BASE_IO_H
#define RUNTIME_BASE_IO_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

static inline void io_cleanup_close(const int *fd)
{
	if (*fd >= 0)
		(void)close(*fd);
}

static inline void io_cleanup_free(void *p)
{
	free(*(void **)p);
}

/* The variable is closed or freed when it goes out of scope; -1 and NULL are fine. */
#define AUTO_CLOSE __attribute__((cleanup(io_cleanup_close)))
#define AUTO_FREE __attribute__((cleanup(io_cleanup_free)))

/* Takes the descriptor away from its owner. */
static inline int io_steal_fd(int *fd)
{
	int r = *fd;

	*fd = -1;
	return r;
}

#define io_steal_ptr(pp)                                                               \
	({                                                                             \
		__typeof__(*(pp)) stolen_ = *(pp);                                     \
		*(pp) = NULL;                                                          \
		stolen_;                                                               \
	})

/*
 * Reads to the end. *ret_buf is malloc'ed and holds ret_len bytes and a NUL. -EFBIG if
 * there are more than `limit`.
 */
int io_read_all(int fd, size_t limit, char **ret_buf, size_t *ret_len);
/* Like io_read_all, for the file at `path` (O_NOCTTY, follows links). */
int io_read_file(const char *path, size_t limit, char **ret_buf, size_t *ret_len);
/* Writes everything. 0 or -errno. */
int io_write_all(int fd, const void *buf, size_t len);
/* Closes every descriptor except those of `keep`.  0 or -errno. */
int io_close_others(const int *keep, size_t n);
/* Takes a flock(2) (LOCK_SH or LOCK_EX), also in place of another one on this descriptor.  0, -EBUSY
 * if another process still has it after `ms` milliseconds, or -errno. */
int io_lock(int fd, int how, int64_t ms);
/* Writes `text` into an existing file with one call, as /proc requires. */
int io_write_file(const char *path, const char *text);

/*
 * Writes `len` bytes of `s` as printable text. Control bytes, DEL and bytes that are not
 * UTF-8 become \xHH. Characters that change the direction, are invisible or look like a
 * blank become \u{HHHH}. A backslash is doubled. Truncates to `cap` with "…" at the end.
 * Always NUL-terminates.
 */
void io_escape(char *out, size_t cap, const char *s, size_t len);
/*
 * The same for a whole line of text, parts of which may already be escaped: escapes what
 * would reach the terminal as a control, but keeps backslashes.
 */
void io_plain(char *out, size_t cap, const char *s);

#endif
