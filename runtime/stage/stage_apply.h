/*
 * Applies changes outside, one after the other, each in one step: whoever looks, or kills
 * the commit at any moment, finds at a name either what was there or what the run made,
 * whole.
 *
 * What is made or replaced has for a moment a second name in its directory,
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
	/* Other runs may move directories at the same time.  Takes their lock alone (`take`), or gives it back;
	 * false: it cannot be had.  NULL: there is no lock. */
	bool (*order)(void *arg, bool take);
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
