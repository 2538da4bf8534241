/*
 * The index of one project or one -p FILE in the cache: which files its bundle was made
 * of, and what they looked like then.  With it polrun knows without polc whether the
 * bundle still says what the files say.
 *
 *   pol-cache 1 VERSION
 *   at SEC NSEC             when the files were read
 *   told 0|1                was the user told about std/profile/local?
 *   key HEX                 the name of the bundle
 *   bundle HEX              the digest of its manifest
 *   file LEVEL FLAGS DEV INO SIZE MTIME CTIME HEX PATH
 *   end
 */
#ifndef RUNTIME_POLRUN_CACHE_INDEX_H
#define RUNTIME_POLRUN_CACHE_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "runtime/base/err.h"

enum { CACHE_MAX_INPUTS = 4096, CACHE_MAX_INDEX = 1 << 20 };

/* What the files are; the letters of FLAGS in compiler/cli/inputs.h, and the program. */
enum cache_flag { CACHE_NARROW = 1, CACHE_STD = 2, CACHE_NAMED = 4, CACHE_POLC = 8 };

struct cache_stamp {
	uint64_t dev, ino, size;
	int64_t mtime, ctime; /* nanoseconds since 1970 */
};

struct cache_input {
	unsigned level, flags; /* enum pb_level, 0 for polc; enum cache_flag */
	struct cache_stamp stamp;
	char hex[65];
	const char *path; /* absolute */
};

struct cache_index {
	char *text, *more; /* own the paths */
	int64_t at; /* nanoseconds since 1970 */
	bool told;
	char key[65], bundle[65];
	struct cache_input *v;
	size_t n;
};

void cache_stamp_of(const struct stat *st, struct cache_stamp *ret);
/* Takes over `text` (malloc'ed, with a NUL at its end), also on failure.  False: not an
 * index that this version has written. */
bool cache_index_read(char *text, struct cache_index *ret);
/* Reads what `polc compile --inputs` has written: levels, flags, digests, paths. */
bool cache_index_list(char *text, const char *cwd, struct cache_index *ret, size_t *ret_dropped);
/* The text of an index, malloc'ed; NULL without memory. */
char *cache_index_text(const struct cache_index *x, size_t *ret_len);
void cache_index_release(struct cache_index *x);

#endif
