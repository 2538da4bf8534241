/*
 * The view's inner contract: what it is made of, without a bundle, so that
 * unit tests can make one over a directory of their own.
 */
#ifndef RUNTIME_SANDBOX_VIEW_H
#define RUNTIME_SANDBOX_VIEW_H

#include "runtime/sandbox/sandbox.h"

enum view_answer {
	VIEW_ALLOW,
	VIEW_OWN,      /* only scratch rules allow it: a file of the run's own */
	VIEW_DENY,     /* a rule says so */
	VIEW_OTHERWISE /* no rule allows it */
};

#define VIEW_AF_FORCE 0x80 /* read-only whatever the rules say (git's hooks) */
#define VIEW_AF_FILE 0x40  /* with it: a name, which may be absent (git's files) */

struct view_anchor {
	char *path;       /* full, absolute */
	uint8_t kind;     /* enum pb_anchor_kind */
	uint8_t root;     /* enum pb_root */
	uint8_t effect;   /* enum pb_effect */
	uint8_t ops;
	uint8_t flags;    /* enum pb_anchor_flag */
	uint32_t rule;
};

/* A tree of the host with a second name inside. */
struct view_mount {
	char *host, *place; /* full, absolute */
	uint32_t rule;
};

struct view_in {
	const char *prefix; /* "" or, in tests, a directory that stands for / */
	const char *home, *project, *project_link;
	const char *mountinfo; /* the host's mounts, as proc(5) has them, or NULL */
	bool foreign; /* root's run: its user owns nothing of what is not mapped */
	const struct view_anchor *anchors;
	size_t n;
	/* no place lies in another; what is asked below one is answered as for the
	   host's name */
	const struct view_mount *mounts;
	size_t nmounts;
	/* files that no run writes, whatever the rules say: see struct sandbox_run */
	const char *const *kept;
	size_t nkept;
	size_t nbelieved; /* the first of them may not even lie in reach: -EPERM */
	enum view_answer (*decide)(void *arg, uint8_t op, const char *path,
				   uint32_t *ret_rule);
	void *arg;
	uint32_t otherwise; /* number of otherwise-read; those of write and exec follow */
};

int view_make(const struct view_in *in, struct sandbox_view *ret, struct rt_err *err);

/* --- view_host.c: what is at a place of the host ------------------------------ */

#define VIEW_MAX_LINKS 40

struct view_link {
	char path[4096];   /* where the link is, physical above it */
	char target[4096]; /* its text */
	char full[4096];   /* what it stands for, absolute, one step */
};

struct view_place {
	int fd;           /* O_PATH, -1 where it does not exist */
	bool exists, is_dir;
	bool unreachable; /* exists or not: the caller may not look */
	bool beyond_link; /* does not exist: a link is on the way, or is it */
	mode_t mode;
	uint64_t dev, ino;
	uid_t uid;
	gid_t gid;
};

/* No link is followed: a path through one is -ELOOP.  0 or -errno. */
int view_look(const char *prefix, const char *path, struct view_place *ret);
/*
 * The physical path of `path` on the host, every link resolved (what lies
 * beyond the first missing component is kept), and the links met in order.
 */
int view_resolve(const char *prefix, const char *path, char ret[4096],
		 struct view_link **ret_links, size_t *ret_n);

/* A directory, also at the end of a link. */
bool view_is_dir(const char *prefix, const char *path);

/* --- view_git.c: what only the machine knows ------------------------------------ */

/*
 * What git runs or takes commands from besides the names of the floor: the
 * .git file of a worktree or submodule and what lies behind it, every
 * core.hooksPath, every file that the configuration includes.  The caller
 * frees the list in any case.
 */
int view_git_paths(const char *prefix, const char *home, const char *project,
		   struct sandbox_git **ret, size_t *ret_n, struct rt_err *err);

/*
 * What one other repository adds: `dot_git` is its .git, file, link or directory, or
 * the repository itself (`link`: it is no directory); `base` the folder in which its
 * hooks are run.  *ret and *ret_n, as of the next one, hold what was there before and grow to `max`.  -E2BIG, -EFBIG …: not all of
 * it is there; -ENOMEM.
 */
int view_git_other(const char *prefix, const char *home, const char *base,
		   const char *dot_git, bool link, size_t max, struct sandbox_git **ret, size_t *ret_n,
		   struct rt_err *err);

/*
 * The same of every other repository that git would find below the project
 * (runtime/base/repo.h), which stay in *ret_repos: of each the configuration, the
 * hooks and what leads to others; of a .git file the file and what lies behind it;
 * and what their configuration names.  What the search may not look at any more is in
 * ret_repos->cut, what could not be read or is too much in ret_repos->failed.
 */
int view_nested_paths(const char *prefix, const char *home, const char *project,
		      struct repo_list *ret_repos,
		      struct sandbox_git **ret, size_t *ret_n, struct rt_err *err);

/* --- view_walls.c -------------------------------------------------------------- */
void view_walls_release(struct sandbox_view *v);

/* Path helpers: `path` is strictly below `top`; the same or below. */
bool view_below(const char *path, const char *top);
bool view_at(const char *path, const char *top);

#endif
