/*
 * Decides for each change whether it can be committed: the name must be one that the rules
 * of the run allow writing, what the run made must be of a kind that can be carried over,
 * and what lies outside must be what was there when the run began.
 */
#ifndef RUNTIME_STAGE_STAGE_JUDGE_H
#define RUNTIME_STAGE_STAGE_JUDGE_H

#include "runtime/stage/stage_entry.h"

struct stage_judge {
	const struct stage_record *rec; /* with the descriptors of its trees */
	const struct stage_base *base;
	/* Do the rules of the run allow writing this name (as the run sees it)?  Says which
	   rule decides. */
	bool (*allows)(void *arg, const char *path, uint32_t *ret_rule);
	/* Do they allow a link there that leads to `text`?  NULL: each. */
	bool (*allows_link)(void *arg, const char *path, const char *text, uint32_t *ret_rule);
	void *arg;
};

/* Fills state, rule, why and placed_* of every entry, and sets `op` to MODE or TIMES where
 * nothing else differs.  Refuses what hangs on something refused: what is in a directory
 * that is not made, and a directory in which something stays. */
int stage_judge(const struct stage_judge *j, struct stage_delta *d, struct rt_err *err);

/* What lies outside at an entry's name. */
struct stage_outside {
	int parent;       /* O_PATH; -1: the directory above does not exist */
	const char *name; /* in it; of the top of a tree: "." */
	bool there;
	struct stage_stat st;
};

/* Looks through no link.  False: `e` is refused, for `e->why`.  Close `parent` in any
 * case. */
bool stage_outside_look(const struct stage_judge *j, struct stage_entry *e,
			struct stage_outside *ret);
/* Is it what was there at the start?  False: e->state and e->why say what is not. */
bool stage_outside_is_base(const struct stage_judge *j, struct stage_entry *e,
			   const struct stage_outside *o);
/* Asks once more whether the name may be written, and refuses it if not.  0 or -ENOMEM. */
int stage_ask_rules(const struct stage_judge *j, struct stage_entry *e);
void stage_refuse(struct stage_entry *e, enum stage_state state, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
