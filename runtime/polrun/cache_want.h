/* What the files of the cache know of a run: where it is, and what was found there. */
#ifndef RUNTIME_POLRUN_CACHE_WANT_H
#define RUNTIME_POLRUN_CACHE_WANT_H

#include <limits.h>

#include "runtime/base/found.h"
#include "runtime/base/own.h"
#include "runtime/polrun/cache_index.h"

struct cache_want {
	const char *home, *project, *cwd; /* physical */
	const char *state;   /* the folder of the user's state: what is trusted */
	const char *role;    /* --role, or NULL */
	const char *policy;  /* -p, or NULL */
	bool other_user;     /* --user: the XDG_* variables are somebody else's */
	bool verbose, quiet;
};

/* Where things are: also a run with -b must not write there. */
struct cache_places {
	char cache[PATH_MAX], config[PATH_MAX];
};

struct cache {
	const struct cache_want *want;
	const struct cache_places *at;
	int dir, polc;                 /* descriptors, or -1 */
	char program[OWN_PATH];        /* polc */
	struct found managed, project, user;
	char project_dir[PATH_MAX];    /* .pol of the project */
	char index[80];                /* the name of the index in the cache */
	struct cache_index x;          /* of the bundle that was found or made */
	char bundle[PATH_MAX];
};

#endif
