/* What the rules say about the places of a view. */
#ifndef RUNTIME_SANDBOX_VIEW_DECIDE_H
#define RUNTIME_SANDBOX_VIEW_DECIDE_H

#include "runtime/sandbox/view_place.h"

/*
 * The rules' answer at a path inside.  `dir`: it must also hold for everything below.
 * `host`: the object is the host's, where scratch rules do not count.
 */
enum view_answer view_decide_path(const struct view_builder *b, uint8_t op,
				  const char *path, bool dir, bool host, uint32_t *ret_rule);
/* May the run do `op` at the place, by all of its names? */
enum view_answer view_answer_at(const struct view_builder *b, uint8_t op,
				const struct view_place *p, bool dir, bool host,
				uint32_t *ret_rule);
/* May the run connect to the socket at the place, by all of its names? */
enum view_answer view_answer_socket(const struct view_builder *b,
				    const struct view_place *p, uint32_t *ret_rule);
/* view_answer_at() says VIEW_ALLOW. */
bool view_decide(const struct view_builder *b, uint8_t op, const struct view_place *p,
		 bool dir, bool host, uint32_t *ret_rule);

#endif
