/*
 * Repositories and projects that the search at the start of a run has not found, or that appear
 * while the run goes on.  Those that were found have walls and denied names of their own
 * (view_nested.h).  The broker checks each call for the names of all others: a repository's
 * configuration, its hooks, and what leads git elsewhere; the whole of a .pol; and what exists of
 * the floor's names at the top of a folder with a .git or a .pol.  A search has limits, and a run
 * could have left the tree so that they are met: folders that cannot be looked at, or more
 * repositories than the search lists.  What the run itself makes (git init, clone, submodule,
 * worktree) is the run's, and is told afterwards (polrun/left.h).  The two are told apart by the
 * directory: polrun makes those of the run, by a call that it makes for it.
 *
 * config.lock can be written: `git checkout -b NAME origin/NAME` ends with an error where git cannot
 * have it.  What becomes of such a file when git outside renames it: held.h.
 */
#ifndef RUNTIME_SUPERVISE_REPOS_H
#define RUNTIME_SUPERVISE_REPOS_H

#include <limits.h>

#include "runtime/broker/broker.h"
#include "runtime/decide/decide.h"
#include "runtime/supervise/held.h"
#include "runtime/supervise/numbers.h"

struct repos {
	const struct decide_ctx *ctx;
	const struct broker_trees *trees;
	const struct held *held; /* the files that the run has had */
	char project[PATH_MAX];
	/* the rules that keep the project's own; BROKER_NO_RULE: none */
	uint32_t config, hooks, policy;
	struct numbers made;    /* the run's directories by known_files_number() */
};

/* `trees` and `held` may still be empty; all stay as long as `r`. */
void repos_init(struct repos *r, const struct decide_ctx *c, const struct broker_trees *trees,
		const struct held *held);
void repos_release(struct repos *r);
/* The run has made the directory `name` in `dir`. */
void repos_note(struct repos *r, int dir, const char *name);
/* Is the name of the host a .git that somebody else has made?  It is neither moved nor removed: it says
 * where the project of the next run there begins (place_project), and without it that run would have
 * the larger project around it. */
bool repos_is_mark(const struct repos *r, const char *path, uint32_t *ret_rule);
/* Is the name of the host kept from being written?  *ret_rule then. */
bool repos_keep(const struct repos *r, const char *path, uint32_t *ret_rule);

#endif
