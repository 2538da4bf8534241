/* What the rules say about the places of a view. */
#ifndef RUNTIME_SANDBOX_VIEW_DECIDE_H
#define RUNTIME_SANDBOX_VIEW_DECIDE_H

#include "runtime/sandbox/view_place.h"

/*
 * The rules' answers at a path inside.  `dir`: they must also hold for everything below.
 * `host`: the object is the host's, where scratch rules do not count.
 */
void view_decide_path(const struct view_builder *b, const char *path, bool dir, bool host,
		      struct view_answers *ret);
/* What may the run do at the place, by all of its names? */
void view_answers_at(const struct view_builder *b, struct view_place *p, bool dir, bool host,
		     struct view_answers *ret);
/* May the run connect to the socket at the place, by all of its names? */
enum view_answer view_answer_socket(const struct view_builder *b,
				    const struct view_place *p, uint32_t *ret_rule);

#endif
