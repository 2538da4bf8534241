/*
 * The archive around a bundle: plain ustar in one canonical form. `tar tvf` can read it,
 * and no two archives mean the same. Regular files of mode 0644, owner 0:0, time 0, names
 * of at most TAR_PATH_MAX bytes; zero padding to blocks of 512; two zero blocks, and
 * nothing after them.
 */
#ifndef RUNTIME_BUNDLE_TAR_H
#define RUNTIME_BUNDLE_TAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/base/err.h"

#define TAR_BLOCK ((size_t)512)
#define TAR_PATH_MAX ((size_t)99)

struct tar_member {
	const char *path; /* NUL-terminated, in the header; tar_path_ok() */
	const uint8_t *data;
	size_t size;
};

/*
 * Is it a relative path of at most TAR_PATH_MAX bytes of [A-Za-z0-9._+@%=,/-], without an
 * empty component, "." or ".."?
 */
bool tar_path_ok(const char *path, size_t len);
/* The one valid header for a member of this path (which must be ok) and size. */
void tar_header(uint8_t out[TAR_BLOCK], const char *path, size_t len, uint64_t size);
/* The bytes that `size` bytes of data take up, including the padding. */
static inline size_t tar_padded(size_t size)
{
	return (size + TAR_BLOCK - 1) & ~(TAR_BLOCK - 1);
}

/* Is this a canonical header? Its path is the string at `h`. */
bool tar_peek(const uint8_t h[TAR_BLOCK], size_t *ret_size);

/*
 * Reads the member at *at and moves *at to the next one. Returns 1; 0 at the end of the
 * archive (where the bytes must also end); or -errno.
 */
int tar_next(const uint8_t *bytes, size_t size, size_t *at, struct tar_member *ret,
	     struct rt_err *err);

#endif
