/* Hidden and unreadable files that a command names. Internal to decide/. */
#ifndef RUNTIME_DECIDE_PART_HIDDEN_H
#define RUNTIME_DECIDE_PART_HIDDEN_H

#include "runtime/decide/line_ctx.h"

/* The file rule that hides a path named by a literal word of the command, or denies
 * reading it; UINT32_MAX: none. In scope sandbox only names below /proc and /dev count: the kernel hides all
 * others from the run, and polrun names the rule afterwards (4.4). only_read: looks only at words that name
 * files which the command reads. */
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

/* For a file rule: does it ask about reading? */
static inline bool part_asks(const struct pb_rule *r)
{
	return r->kind == PB_FILE && r->effect == PB_ASK && (r->ops & PB_READ);
}

/* Is there such a rule in this scope?  Few policies have one. */
bool part_asks_reading(struct line_ctx *l);
/* The file rule that asks about reading a path that a literal word of the command names; UINT32_MAX: none.
 * Sets *ret_person if only a person can answer. */
uint32_t part_asked(struct line_ctx *l, const struct cmd_part *p, bool *ret_person);

/* The rule that hides one name from any operation, or denies reading it; UINT32_MAX: none. only_read: a rule
 * about reading only. */
uint32_t part_hidden_name(const struct line_ctx *l, const char *path, bool only_read);

#endif
