/*
 * Files outside that have several names of which a run has changed more than one.  A commit
 * of one name sets the ctime of the file, and so the others would count as changed.  Before
 * the first one the digest of the file is noted, as long as its ctime tells that it is what
 * the run began with; a later commit compares that.
 */
#ifndef RUNTIME_STAGE_STAGE_SHARED_H
#define RUNTIME_STAGE_STAGE_SHARED_H

#include "runtime/stage/stage_entry.h"

struct stage_shared {
	const struct stage_stat **v; /* malloc'ed; of entries whose file has several names */
	size_t n;
};

/* Of a file with several names, which is no directory? */
bool stage_shared_may_be(const struct stage_node *base);
/* 0 or -ENOMEM; release it after 0. */
int stage_shared_find(const struct stage_delta *d, struct stage_shared *ret);
void stage_shared_release(struct stage_shared *s);
/* Has the run changed another name of this file as well? */
bool stage_shared_has(const struct stage_shared *s, const struct stage_stat *file);
/* The digest of content and attributes of what is at `name` in `dir` (no link is
 * followed).  0 or -errno. */
int stage_shared_digest(int dir, const char *name, uint8_t ret[STAGE_DIGEST]);

#endif
