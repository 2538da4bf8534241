/* Descriptors and memory with an owner, whole reads and whole writes. */
#ifndef RUNTIME_BASE_IO_H
#define RUNTIME_BASE_IO_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "runtime/base/err.h"

static inline void io_cleanup_close(const int *fd)
{
	if (*fd >= 0)
		(void)close(*fd);
}

static inline void io_cleanup_free(void *p)
{
	free(*(void **)p);
}

/* Closed, freed, when the variable leaves its scope; -1 and NULL are fine. */
#define AUTO_CLOSE __attribute__((cleanup(io_cleanup_close)))
#define AUTO_FREE __attribute__((cleanup(io_cleanup_free)))

/* The owner gives it away. */
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
 * Reads to the end: *ret_buf is malloc'ed, ret_len bytes and a NUL behind
 * them.  -EFBIG past `limit`.
 */
int io_read_all(int fd, size_t limit, char **ret_buf, size_t *ret_len);
/* As io_read_all, of the file at `path` (O_NOCTTY, follows links). */
int io_read_file(const char *path, size_t limit, char **ret_buf, size_t *ret_len);
/* 0 or -errno; writes everything. */
int io_write_all(int fd, const void *buf, size_t len);
/* One write of `text` into an existing file, as /proc wants it. */
int io_write_file(const char *path, const char *text);

/*
 * `len` bytes of `s` as printable text: control bytes, DEL, backslashes and
 * bytes that are not UTF-8 (and characters that change the direction, cannot be
 * seen or look like a blank) become \xHH or \u{HHHH}.  Truncates to `cap` with "…"
 * at the end.  Always NUL-terminates.
 */
void io_escape(char *out, size_t cap, const char *s, size_t len);
/*
 * A whole line of text, whose parts may have been escaped already: what would
 * reach the terminal as a control is escaped, a backslash is left as it is.
 */
void io_plain(char *out, size_t cap, const char *s);

#endif
