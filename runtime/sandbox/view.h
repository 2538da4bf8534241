/*
 * The internal interface of the view.  It needs no bundle, so that unit tests can make
 * a view of a directory of their own.
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

#define VIEW_AF_FORCE 0x80 /* read-only whatever the rules say (for git's hooks) */
#define VIEW_AF_FILE 0x40  /* with VIEW_AF_FORCE: a name that may be absent (for git's
                              files) */

struct view_anchor {
	char *path;       /* full, absolute */
	uint8_t kind;     /* enum pb_anchor_kind */
	uint8_t root;     /* enum pb_root */
	uint8_t effect;   /* enum pb_effect */
	uint8_t ops;
	uint8_t flags;    /* enum pb_anchor_flag */
	uint32_t rule;
};

/* A tree of the host that has a second name inside. */
struct view_mount {
	char *host, *place; /* full, absolute */
	uint32_t rule;
};

struct view_in {
	const char *prefix; /* "" or, in tests, a directory that stands for / */
	const char *home, *project, *project_link;
	const char *mountinfo; /* the host's mountinfo, in the format of proc(5), or NULL */
	bool foreign; /* a run as root: its user owns no files except those that are
	                 mapped */
	const struct view_anchor *anchors;
	size_t n;
	/* No place lies inside another.  Questions about a path below a place are
	   answered for its name on the host. */
	const struct view_mount *mounts;
	size_t nmounts;
	/* files that no run may write, whatever the rules say: see struct sandbox_run */
	const char *const *kept;
	size_t nkept;
	size_t nbelieved; /* the run may not even be able to reach the first `nbelieved`
	                     of them: -EPERM */
	enum view_answer (*decide)(void *arg, uint8_t op, const char *path,
				   uint32_t *ret_rule);
	void *arg;
	uint32_t otherwise; /* number of the otherwise-read rule; those for write and
	                       exec follow */
};

int view_make(const struct view_in *in, struct sandbox_view *ret, struct rt_err *err);

/* --- view_host.c: what is at a place of the host ------------------------------ */

#define VIEW_MAX_LINKS 40

struct view_link {
	char path[4096];   /* path of the link, physical up to its last component */
	char target[4096]; /* its text */
	char full[4096];   /* the absolute path that it stands for, resolved by one step */
};

struct view_place {
	int fd;           /* O_PATH, -1 where it does not exist */
	bool exists, is_dir;
	bool unreachable; /* the caller may not look, so nobody knows whether it exists */
	bool beyond_link; /* does not exist; a link is on the way, or is the last
	                     component */
	mode_t mode;
	uint64_t dev, ino;
	uid_t uid;
	gid_t gid;
};

/* Looks at `path` without following links: a path through a link is -ELOOP.  0 or
 * -errno. */
int view_look(const char *prefix, const char *path, struct view_place *ret);
/*
 * Resolves every link in `path` on the host and returns the physical path (with
 * whatever follows the first missing component) and the links that were met, in order.
 */
int view_resolve(const char *prefix, const char *path, char ret[4096],
		 struct view_link **ret_links, size_t *ret_n);

/* True for a directory, or for a link that leads to one. */
bool view_is_dir(const char *prefix, const char *path);

/* --- view_git.c: what only the machine knows ------------------------------------ */

/*
 * Lists what git runs or takes commands from, besides the names of the floor: the .git
 * file of a worktree or submodule and what it leads to, every core.hooksPath, and every
 * file that the configuration includes.  The caller frees the list even on failure.
 */
int view_git_paths(const char *prefix, const char *home, const char *project,
		   struct sandbox_git **ret, size_t *ret_n, struct rt_err *err);

/*
 * Lists what one other repository adds.  `dot_git` is its .git (file, link or
 * directory) or the repository itself (`link`: it is not a directory); `base` is the
 * folder in which its hooks run.  Here and in the next function *ret and *ret_n keep
 * what they held before and grow to at most `max`.  -E2BIG, -EFBIG …: the list is
 * incomplete; or -ENOMEM.
 */
int view_git_other(const char *prefix, const char *home, const char *base,
		   const char *dot_git, bool link, size_t max, struct sandbox_git **ret, size_t *ret_n,
		   struct rt_err *err);

/*
 * The same for every other repository that git would find below the project
 * (runtime/base/repo.h); the repositories are returned in *ret_repos.  Of each it lists
 * the configuration, the hooks, what leads to other repositories, and what the
 * configuration names; of a .git file it lists the file and what it leads to.
 * ret_repos->cut says what the search did not look at any more, ret_repos->failed what
 * could not be read or was too much.
 */
int view_nested_paths(const char *prefix, const char *home, const char *project,
		      struct repo_list *ret_repos,
		      struct sandbox_git **ret, size_t *ret_n, struct rt_err *err);

/* --- view_walls.c -------------------------------------------------------------- */
void view_walls_release(struct sandbox_view *v);

/* Path helpers.  view_below(): `path` is strictly below `top`.  view_at(): below or the
 * same. */
bool view_below(const char *path, const char *top);
bool view_at(const char *path, const char *top);

#endif
