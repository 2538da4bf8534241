/* What only the machine knows: the names that git's configuration adds. */
#ifndef RUNTIME_SANDBOX_VIEW_GIT_H
#define RUNTIME_SANDBOX_VIEW_GIT_H

#include "runtime/base/err.h"
#include "runtime/sandbox/sandbox_view.h"
#include "runtime/sandbox/view_input.h"

/*
 * Lists what git runs or takes commands from, besides the names of the floor: the .git
 * file of a worktree or submodule and what it leads to, every core.hooksPath, every
 * file that the configuration includes, and the files that its commands name.  The same of
 * each repository above the project, and of $GIT_DIR.  The caller frees the list even on
 * failure.
 */
int view_git_paths(const struct view_in *in, struct sandbox_git **ret, size_t *ret_n,
		   struct rt_err *err);

/*
 * Finds the repository whose objects, configuration and hooks the project's git uses: its
 * .git, or where a .git file and `commondir` lead.  *ret is malloc'ed, or NULL: there is none.
 */
int view_git_common(const struct view_in *in, char **ret, struct rt_err *err);

/*
 * Lists what one other repository adds.  `dot_git` is its .git (file, link or
 * directory) or the repository itself (`link`: it is not a directory); `base` is the
 * folder in which its hooks run.  *ret and *ret_n keep what they held before and grow
 * to at most `max`.  -E2BIG, -EFBIG …: the list is incomplete; or -ENOMEM.
 */
int view_git_other(const struct view_in *in, const char *base, const char *dot_git, bool link,
		   size_t max, struct sandbox_git **ret, size_t *ret_n, struct rt_err *err);

#endif
