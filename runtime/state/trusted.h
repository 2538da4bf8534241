/*
 * Which policy files of projects the user has trusted: exactly this text at exactly this
 * path.  One small file for each, in a folder beside what runs have left, which no run
 * can write:
 *
 *   trusted/ID     ID: BLAKE2b-256 of the path, a NUL and the text, in hex.  It holds the
 *                  path, a NUL, the time in seconds, and a newline.
 *
 * A file with another text, or a copy at another path, has another ID.  So an update of a
 * repository, or a clone of it elsewhere, is not trusted.
 */
#ifndef RUNTIME_STATE_TRUSTED_H
#define RUNTIME_STATE_TRUSTED_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/base/err.h"

enum { TRUSTED_ID = 64 };

struct trusted {
	int dirfd; /* the folder; -1: there is none, nothing is trusted */
	char shown[200];
};

struct trusted_entry {
	char id[TRUSTED_ID + 1];
	char path[PATH_MAX];
	int64_t when;
};

/*
 * Opens the folder below the state folder `dir` (state_dir.h).  0, also if there is none;
 * -EPERM: somebody else could have written it.  Release it in any case.
 */
int trusted_open(const char *dir, struct trusted *ret, struct rt_err *err);
void trusted_release(struct trusted *t);
/* Is this text trusted at this canonical path? */
bool trusted_has(const struct trusted *t, const char *path, const char *text, size_t n);
/* Trusts it.  Makes the folders. */
int trusted_add(const char *dir, const char *path, const char *text, size_t n,
		struct rt_err *err);
/* Calls `f` for each entry, in no order; ends early with what `f` returns, if not 0. */
int trusted_each(const struct trusted *t, int (*f)(void *arg, const struct trusted_entry *e),
		 void *arg, struct rt_err *err);
/* Takes back the trust in every text at this path.  Returns their number, or -errno. */
int trusted_revoke(const struct trusted *t, const char *path, struct rt_err *err);

#endif
