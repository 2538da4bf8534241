/*
 * One repository whose configuration is read: the files that are still to be read, the folders
 * in which its hooks and programs may run, and the list of names that this adds.
 */
#ifndef RUNTIME_SANDBOX_GIT_REPO_H
#define RUNTIME_SANDBOX_GIT_REPO_H

#include <stdbool.h>
#include <stddef.h>

#include "runtime/base/err.h"
#include "runtime/sandbox/sandbox_view.h"
#include "runtime/sandbox/view_input.h"

#define GIT_FILE_MAX (1024u * 1024)
#define GIT_MAX_PATHS 256u
enum { GIT_BASES = 4 };

enum git_which { GIT_PROJECT, GIT_ABOVE, GIT_OTHER };

struct git_value;

struct git_repo {
	const struct view_in *in;
	const char *base;    /* folder in which the hooks run: their path is relative to
	                        it */
	const char *dot_git;
	enum git_which which;
	bool link;           /* dot_git itself is not a directory, or no rule knows it */
	char *bases[GIT_BASES]; /* the folders in which hooks and programs may run */
	size_t nbases;
	const char *dir; /* of the bases the repository itself, to which core.worktree is relative */
	struct sandbox_git *v;
	size_t n, max;
	/* configuration files: those that were read and those still to be read */
	char *queue[GIT_MAX_PATHS];
	size_t nqueue, nread;
	/* values that are looked at for each base, when all bases are known (git_settings.c) */
	struct git_value *values;
	size_t nvalues;
	struct rt_err *err;
};

/* Reads a file of git's; a NUL in it becomes a newline.  *ret is NULL if git would not find
 * anything there either. */
int git_repo_read_text(const struct git_repo *g, const char *path, char **ret);

/* Joins `dir` and `rel` without "." and "..", malloc'ed; a name before a ".." is followed, and
 * added to the list.  On failure NULL with errno; ENOMEM and E2BIG mean that the name is not to
 * blame. */
char *git_repo_join_path(struct git_repo *g, const char *dir, const char *rel);
/* Makes a path in a configuration absolute, malloc'ed: "~/" is HOME, "~name/" is that user's
 * home, or HOME.  NULL as above. */
char *git_repo_expand_path(struct git_repo *g, const char *dir, const char *value);
/* Handles a missing path, with errno set.  If the path is too long to be a name, git
 * cannot use it either; if memory ran out, it must not be overlooked. */
int git_repo_fail_path(struct git_repo *g);

/* Adds a name to the list.  Takes ownership of `path`; NULL is a missing path. */
int git_repo_add_path(struct git_repo *g, char *path, bool hooks, bool maybe);
/* Adds `name` in `dir`. */
int git_repo_add_path_in(struct git_repo *g, const char *dir, const char *name, bool hooks);
/* Adds a configuration file to those that are to be read.  Takes ownership of `path`; NULL is a
 * missing path. */
int git_repo_add_file(struct git_repo *g, char *path);
/* Returns true if the file was read, or is to be read. */
bool git_repo_has_file(const struct git_repo *g, const char *path);
/* Adds a folder in which hooks and programs may run.  Takes ownership of `dir`; NULL is a missing
 * path. */
int git_repo_add_base(struct git_repo *g, char *dir);
/* Frees the files and the folders, and not the list. */
void git_repo_release(struct git_repo *g);

#endif
