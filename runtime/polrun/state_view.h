/* The directory of remembered answers, out of the reach of every run. */
#ifndef RUNTIME_POLRUN_STATE_VIEW_H
#define RUNTIME_POLRUN_STATE_VIEW_H

#include "runtime/sandbox/sandbox.h"

/*
 * Makes the view of `run` (ret must not hold one) in which `dir` cannot be
 * written.  Where it is not there and the run could make it, it is made first:
 * nothing can be mounted over a name that does not exist.  Without `make` (a plan)
 * it is left as it is.  0; -errno.
 */
int state_view_make(const struct sandbox_run *run, const char *dir, bool make,
		    struct sandbox_view *ret, struct rt_err *err);

#endif
