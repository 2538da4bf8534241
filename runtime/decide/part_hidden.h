/* Hidden and unreadable files that a command names. Internal to decide/. */
#ifndef RUNTIME_DECIDE_PART_HIDDEN_H
#define RUNTIME_DECIDE_PART_HIDDEN_H

#include "runtime/decide/line_ctx.h"

/* The file rule that hides a path named by a literal word of the command, or denies
 * reading it; UINT32_MAX: none. only_read: looks only at words that name files which the
 * command reads. */
uint32_t part_hidden(struct line_ctx *l, const struct cmd_part *p, bool only_read);

/* For a file rule: does it keep something from being written, or ask? */
static inline bool part_keeps(const struct pb_rule *r)
{
	return r->kind == PB_FILE && (r->effect == PB_HIDE || (r->effect != PB_ALLOW &&
							       (r->ops & PB_WRITE)));
}

/* For a file rule: does it keep something from being read? */
static inline bool part_is_secret(const struct pb_rule *r)
{
	return r->effect == PB_HIDE || (r->effect == PB_DENY && (r->ops & PB_READ));
}

/* The rule that hides one name, or denies reading it; UINT32_MAX: none. */
uint32_t part_hidden_name(const struct line_ctx *l, const char *path);

#endif
