/* What the rules say about a path of the host, for the view and for who decides names while
 * the run goes on. */
#ifndef RUNTIME_SANDBOX_VIEW_ANSWER_H
#define RUNTIME_SANDBOX_VIEW_ANSWER_H

#include "runtime/decide/decide.h"
#include "runtime/decide/near.h"
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

/* The same of many names: the next one in the same directory, or the next `op` for one name,
 * takes less.  `near` as decide_file_each() says. */
bool view_allows_near(const struct decide_ctx *c, const struct sandbox_view *view,
		      struct decide_near *near, uint8_t op, const char *path,
		      uint32_t *ret_rule);

/* Does a rule deny `op` at the name inside, by which the run reaches something through a link?
 * `otherwise` is asked of the physical path alone. */
bool view_denies_name(const struct decide_ctx *c, const struct sandbox_view *view, uint8_t op,
		      const char *name, uint32_t *ret_rule);

/*
 * May the run make a symbolic link at `path` that leads to `target` (both are paths inside;
 * NULL: not known where it leads)?  Not if a name that is denied below the link could then be
 * written by another name, below the target: outside, the denied name would lead to what the
 * run wrote.  `room` has DECIDE_LINK_ROOM bytes.
 */
bool view_allows_link(const struct decide_ctx *c, const struct sandbox_view *view,
		      const char *path, const char *target, void *room, uint32_t *ret_rule);

/* Do the rules about sockets let the run connect to a socket at this path inside? */
bool view_allows_socket(const struct decide_ctx *c, const struct sandbox_view *view,
			const char *path, uint32_t *ret_rule);

#endif
