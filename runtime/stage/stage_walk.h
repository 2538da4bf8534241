/* Goes through a tree below a descriptor, and follows no link and enters no mount. */
#ifndef RUNTIME_STAGE_STAGE_WALK_H
#define RUNTIME_STAGE_STAGE_WALK_H

#include <limits.h>
#include <sys/stat.h>

/* How every path below the top of a tree is opened: never through a link, never out of the
 * tree, whoever changes names meanwhile. */
#define STAGE_RESOLVE                                                                  \
	(RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV)

enum { STAGE_MAX_NAMES = 4000000 };

/* What `visit` returns to leave out what lies in this directory. */
#define STAGE_SKIP INT_MAX

struct stage_found {
	int dir;          /* the directory that holds it; of the top: the top itself */
	const char *name; /* in that directory; of the top: "." */
	const char *path; /* from the top, without '/' at its ends; of the top: "" */
	struct stat st;
	int closed;       /* 0, or -errno that forbids to look into it; -EXDEV: something is
	                     mounted there; -ENAMETOOLONG: it holds names whose paths would be
	                     longer than PATH_MAX */
};

/*
 * Calls `visit` for the top and for everything below it, each directory before what is in
 * it, and ends early with what it returns, if neither 0 nor STAGE_SKIP.  A name that
 * disappears meanwhile is left out, and nothing that is mounted in the tree is entered.
 * -E2BIG: more than STAGE_MAX_NAMES names; -ENAMETOOLONG: somebody has made too long a
 * path meanwhile; -errno.
 */
int stage_walk(int top, int (*visit)(void *arg, const struct stage_found *f), void *arg);

/* Opens the directory above the last name of `path`, O_PATH, and says where that name
 * begins.  -errno. */
int stage_parent(int top, const char *path, const char **ret_name);

#endif
