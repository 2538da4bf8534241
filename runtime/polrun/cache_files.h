/* The files that a cached bundle was made of: what they hold now, and who may write them. */
#ifndef RUNTIME_POLRUN_CACHE_FILES_H
#define RUNTIME_POLRUN_CACHE_FILES_H

#include "runtime/polrun/cache_want.h"

/* Lists the three directories, and refuses those that another user may write. */
int cache_files_find(struct cache *c, struct rt_err *err);
/* True if the index has exactly the files that are there now. */
bool cache_files_same(const struct cache *c, const struct cache_index *x);
/*
 * Compares a file with what the index says.  1: unchanged, 0: another one, -errno: it may
 * not be read, or is not believed.  A file that was changed shortly before the index was
 * written is read again, since it may have changed once more under the same time; then,
 * and where only its times changed, *ret_stale is set.
 */
int cache_files_check(const struct cache *c, const struct cache_index *x,
		      struct cache_input *in, bool *ret_stale, struct rt_err *err);
/* True if the user trusts those files of the project that were full, and none of those that
 * were narrow-only (runtime/state/trusted.h). */
bool cache_files_trusted(const struct cache *c, const struct cache_index *x);
/* Reads the file and compares it with in->hex, and sets in->stamp.  As above. */
int cache_files_read(const struct cache *c, struct cache_input *in, struct rt_err *err);
/* The digest of polc itself. */
int cache_files_polc(const struct cache *c, struct cache_input *ret, struct rt_err *err);
int64_t cache_files_now(void);

#endif
