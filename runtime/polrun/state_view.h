/* Keeps what the next run relies on out of the reach of every run: remembered answers,
 * compiled policies, the user's own policies. */
#ifndef RUNTIME_POLRUN_STATE_VIEW_H
#define RUNTIME_POLRUN_STATE_VIEW_H

#include "runtime/sandbox/sandbox.h"

enum { STATE_VIEW_DIRS = 3 };

struct state_view_dir {
	const char *path;
	const char *what; /* "answers … are remembered": for the refusal */
};

/*
 * Makes the view of `run` so that none of the folders can be written (ret must not hold a
 * view).  One that does not exist and that the run could make is made first, since nothing
 * can be mounted over a name that does not exist.  Without `make` (for a plan) it is not
 * made.  0 or -errno.
 */
int state_view_make(const struct sandbox_run *run,
		    const struct state_view_dir dirs[STATE_VIEW_DIRS], bool make,
		    struct sandbox_view *ret, struct rt_err *err);

#endif
