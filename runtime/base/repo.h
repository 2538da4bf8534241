/*
 * Finds where below a directory (the top) git would find a repository, and so trust its
 * configuration: `.git` of any folder, the contents of `.git/modules` and
 * `.git/worktrees`, and a bare layout (HEAD, objects, refs) in an ordinary folder.  And the
 * policies of projects below: `.pol` of any folder.  Never follows a link or enters
 * another mount.
 */
#ifndef RUNTIME_BASE_REPO_H
#define RUNTIME_BASE_REPO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum repo_kind {
	REPO_DOT_GIT,  /* a directory .git that is not the top's */
	REPO_GIT_FILE, /* a file or link .git that is not the top's: it names a
	                  repository */
	REPO_GIT_DIR,  /* a repository below .git/modules */
	REPO_WORKTREE, /* a directory of .git/worktrees */
	REPO_BARE,     /* a folder that is itself a repository */
	REPO_POLICY,   /* .pol, of whatever type, that is not the top's */
	REPO_KINDS
};

struct repo_item {
	enum repo_kind kind;
	char *path; /* relative to the top, "" for the top itself; malloc'ed */
};

struct repo_list {
	struct repo_item *v;
	size_t n;
	bool cut;      /* there is more than the search may look at */
	size_t closed; /* folders that the caller may not look at, and can neither enter
	                  nor open */
	size_t failed; /* other folders that could not be looked at */
};

/* What the top of a search is. */
enum repo_top {
	REPO_TOP_PROJECT, /* the project: its own .git and .pol are not among the findings */
	REPO_TOP_TREE,    /* another folder: its .git and .pol are */
	REPO_TOP_GIT,     /* a repository, or its folder of submodules: it and what git reads in it */
};

/* Limits of a search: folders, then milliseconds of processor and (so many times that) of time, then findings. */
#define REPO_MAX_DIRS 20000u
#define REPO_MAX_MS 300u
#define REPO_LOADED 4
#define REPO_MAX_ITEMS 128u

/*
 * Searches breadth first, so that a limit cuts off the deepest folders. `dirfd` stays
 * open; everything else is opened beneath it. 0 or -ENOMEM; release in any case.
 */
int repo_find(int dirfd, struct repo_list *ret);
struct repo_known;
/*
 * The same for another top, within `ms` milliseconds.  `known` (or NULL) is what a search of this top has seen before,
 * of which only folders that have changed are read again; it becomes what this one has seen.  *ret_changed: that is
 * something else.
 */
int repo_find_from(int dirfd, enum repo_top top, unsigned ms, struct repo_known *known, bool *ret_changed,
		   struct repo_list *ret);
/* `dir` is the path of a folder, "" for the top, `fd` a descriptor of it, and `name` is in it. */
typedef void repo_meet(void *arg, int fd, const char *dir, const char *name);
struct repo_meets {
	/* for each name in each ordinary folder, .git (not the folders in it), repository of a submodule and
	 * folder of a worktree's administrative files; or NULL */
	repo_meet *name;
	void *name_arg;
	/* for each symbolic link in a .git, the folders in it included, but for loose objects; or NULL */
	repo_meet *link;
	void *link_arg;
};
/* As repo_find() for this top. */
int repo_find_each(int dirfd, enum repo_top top, const struct repo_meets *meets, struct repo_list *ret);
void repo_release(struct repo_list *l);
/* The length of the folder in `path` that the item makes a project; 0: it makes none, or
 * the top. */
size_t repo_project(const struct repo_item *it);
bool repo_has(const struct repo_list *l, enum repo_kind kind, const char *path);
/* For people: "a repository", "a bare repository" … */
const char *repo_word(enum repo_kind kind);

#endif
