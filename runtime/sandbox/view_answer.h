/* What the rules say about a path of the host, for the view and for who decides names while
 * the run goes on. */
#ifndef RUNTIME_SANDBOX_VIEW_ANSWER_H
#define RUNTIME_SANDBOX_VIEW_ANSWER_H

#include "runtime/decide/decide.h"
#include "runtime/sandbox/sandbox_view.h"
#include "runtime/sandbox/view_input.h"

/* The answer that a decision about a file is. */
enum view_answer view_answer_of(const struct decide_ctx *c, const struct decision *d);

/*
 * May the run do `op` (a pb_op bit) at the resolved path inside?  By all names of the
 * object: those of the links by which rules reach it count as well.  *ret_rule is the
 * rule that decides.  A scratch rule opens nothing of the host, and what the view keeps
 * from every run (view->denied) is not written.
 */
bool view_allows_name(const struct decide_ctx *c, const struct sandbox_view *view,
		      uint8_t op, const char *path, uint32_t *ret_rule);

#endif
