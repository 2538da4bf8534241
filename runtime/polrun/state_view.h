/* Keeps the directory of remembered answers out of the reach of every run. */
#ifndef RUNTIME_POLRUN_STATE_VIEW_H
#define RUNTIME_POLRUN_STATE_VIEW_H

#include "runtime/sandbox/sandbox.h"

/*
 * Makes the view of `run` so that `dir` cannot be written (ret must not hold a view).
 * If `dir` does not exist and the run could make it, it is made first, since nothing
 * can be mounted over a name that does not exist.  Without `make` (for a plan) it is
 * not made.  0 or -errno.
 */
int state_view_make(const struct sandbox_run *run, const char *dir, bool make,
		    struct sandbox_view *ret, struct rt_err *err);

#endif
