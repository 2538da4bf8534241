/* The folder of the cache, and its files. */
#ifndef RUNTIME_POLRUN_CACHE_DIR_H
#define RUNTIME_POLRUN_CACHE_DIR_H

#include "runtime/polrun/cache_want.h"

/* Opens the folder, and makes it if there is none.  -errno if it could be another user's,
 * or a run's. */
int cache_dir_open(const struct cache_want *w, const char *dir, struct rt_err *err);
/* Reads an index.  False: there is none that can be believed. */
bool cache_dir_read(int dir, const char *name, struct cache_index *ret);
/* Writes a file as a whole: the new one or the old one has the name.  0 or -errno. */
int cache_dir_write(int dir, const char *name, const char *text, size_t len);
enum { CACHE_TEMP = 32 };
/* A name that no other process has, in another container neither. */
void cache_dir_temp(char ret[CACHE_TEMP]);
/* Removes what was left by a polc that was killed, and what is older than a month. */
void cache_dir_prune(int dir);

#endif
