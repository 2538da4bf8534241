/* The view of a run without a bundle, so that unit tests can make a view of a directory
 * of their own. */
#ifndef RUNTIME_SANDBOX_VIEW_H
#define RUNTIME_SANDBOX_VIEW_H

#include "runtime/base/err.h"
#include "runtime/sandbox/sandbox_view.h"
#include "runtime/sandbox/view_input.h"

/* Fails if the host makes it impossible to hold what the rules deny.  The caller
 * releases the view; on failure it is empty. */
int view_make(const struct view_in *in, struct sandbox_view *ret, struct rt_err *err);

#endif
