/*
 * The bundle of a run that names none: policies are found as `polc --discover` finds them,
 * or -p names one, and compiled once.  The bundles are kept in
 *
 *   ${XDG_CACHE_HOME:-~/.cache}/pol             0700, the caller's own
 *     KEY.polb       KEY is the digest of all that went into it
 *     CONTEXT.index  cache_index.h
 */
#ifndef RUNTIME_POLRUN_CACHE_H
#define RUNTIME_POLRUN_CACHE_H

#include "runtime/polrun/cache_want.h"

/* False: a path is too long. */
bool cache_find_places(const struct cache_want *w, struct cache_places *ret);
/* Finds the policies, and the bundle if there is one that was made of just these files.  1:
 * ret->bundle and ret->x.bundle are what is to be opened, 0: call cache_make(), or
 * -errno: a policy that cannot be read, is not believed, or a folder that is not. */
int cache_look(const struct cache_want *w, const struct cache_places *at, struct cache *ret,
	       struct rt_err *err);
/* For cache_make(): takes over what was compiled into the file `temp` of the cache. */
int cache_adopt(struct cache *c, struct cache_index *made, const char *temp, struct rt_err *err);
/* Compiles.  0 or -errno: no policy, no run.  What polc said is on stderr then. */
int cache_make(struct cache *c, struct rt_err *err);
/* The files that the next run believes, and this one must not be able to write: NULL at the
 * end, valid as long as `c`. */
const char *cache_believed(const struct cache *c, size_t *at);
void cache_release(struct cache *c);

#endif
