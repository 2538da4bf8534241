/* What the repositories below the project, and in other trees that the run writes, add. */
#ifndef RUNTIME_SANDBOX_VIEW_NESTED_H
#define RUNTIME_SANDBOX_VIEW_NESTED_H

#include "runtime/base/err.h"
#include "runtime/sandbox/sandbox_view.h"
#include "runtime/sandbox/view_input.h"

/*
 * Lists what git runs or takes commands from in every repository, other than the
 * project's own, that git would find below the project (runtime/base/repo.h); the
 * repositories are returned in tree->repos.  Of each it lists the configuration, the
 * hooks, what leads to other repositories, and what the configuration names; of a .git
 * file it lists the file and what it leads to.  *ret and *ret_n keep what they held
 * before.  tree->repos.cut says what the search did not look at any more,
 * tree->repos.failed what could not be read or was too much.
 *
 * tree->path is the project or another folder, tree->top what it is; the search takes `ms`
 * milliseconds at most.  What lies in the project is left out of another tree.
 */
int view_nested_paths(const struct view_in *in, struct sandbox_tree *tree, unsigned ms,
		      struct sandbox_git **ret, size_t *ret_n, struct rt_err *err);

#endif
