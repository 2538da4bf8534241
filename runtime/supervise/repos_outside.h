/*
 * Repositories that somebody outside has made while the changes of a staged run waited.  What git
 * would take commands from there is kept from a commit as it is from a run (repos.h).  The
 * commit's own directories are the run's.
 */
#ifndef RUNTIME_SUPERVISE_REPOS_OUTSIDE_H
#define RUNTIME_SUPERVISE_REPOS_OUTSIDE_H

#include "runtime/supervise/repos.h"

struct repos_outside {
	struct broker_trees trees;
	struct held held; /* empty */
	struct repos repos;
};

void repos_outside_init(struct repos_outside *r, const struct decide_ctx *c);
/* Also of one that is all 0. */
void repos_outside_release(struct repos_outside *r);
/* A tree that the run could write: its name inside, which must stay, and its directory.  0 or
 * -errno. */
int repos_outside_add(struct repos_outside *r, const char *at, int top);
/* The directory at `path` from the tree's top is the run's. */
void repos_outside_note(struct repos_outside *r, int top, const char *path);
/* Is this name, as the run sees it, kept from being written?  *ret_rule then. */
bool repos_outside_keep(const struct repos_outside *r, const char *name, uint32_t *ret_rule);

#endif
