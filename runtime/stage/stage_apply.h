/*
 * Applies changes outside, one after the other, each in one step: whoever looks, or kills
 * the commit at any moment, finds at a name either what was there or what the run made,
 * whole.
 *
 * Runs go on beside a commit, and other rules than its own may hold for them.  So what a file gets
 * is copied into a file without a name, and each change is looked at and applied while no run makes
 * or moves a name (`lock`).
 *
 * What is replaced, and what is made and is no file, has for a moment a second name in its directory,
 * ".pol-stage-ID-N".  If a commit is killed meanwhile, the next one of this stage
 * removes what is left at that name.
 */
#ifndef RUNTIME_STAGE_STAGE_APPLY_H
#define RUNTIME_STAGE_STAGE_APPLY_H

#include "runtime/stage/stage_judge.h"

struct stage_apply {
	const struct stage_judge *judge;
	struct stage_delta *d; /* judged */
	const bool *chosen;    /* for each entry: is it to be applied? */
	const char *id;
	/* Is called after each entry whose state has become COMMITTED, or NULL. */
	int (*done)(void *arg, const struct stage_entry *e);
	/* Is called before the first of several names of a file is applied, or NULL. */
	int (*shared)(void *arg, const struct stage_known_file *f);
	/* Takes the lock that runs take for each name that they make (names_lock.h), or gives it back.
	 * False: another run has it.  NULL: there are no runs. */
	bool (*lock)(void *arg, bool take);
	void *arg;
};

/*
 * Applies the chosen entries that are READY, in an order in which each can be: what is
 * made, parents first; what is deleted, parents last; then what takes the name of
 * something of another kind.  Each becomes COMMITTED, CHANGED or FAILED.  Returns what
 * `done` or `shared` has returned if that is not 0, else 0; or -ENOMEM.
 */
int stage_apply(const struct stage_apply *a);

#endif
