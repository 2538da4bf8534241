/* The rules of a staged run, asked again for a review or a commit, as the broker has asked
 * them in the run, and as it would ask them in a run that begins now: both must allow it. */
#ifndef RUNTIME_POLRUN_STAGE_RULES_H
#define RUNTIME_POLRUN_STAGE_RULES_H

#include "runtime/sandbox/sandbox_view.h"
#include "runtime/stage/stage_entry.h"
#include "runtime/stage/stage_store.h"
#include "runtime/supervise/repos_outside.h"

struct stage_rules {
	const struct stage *stage; /* with its bundle */
	struct sandbox_view view;  /* what the record says of it; borrows its strings */
	struct sandbox_view now;   /* of a run that would begin now */
	bool looked;               /* `now` is valid */
	void *room;                /* calloc'ed: DECIDE_LINK_ROOM */
	struct repos_outside repos;
};

/* 0 or -errno.  The stage must stay as it is. */
int stage_rules_make(const struct stage *s, struct stage_rules *ret, struct rt_err *err);
void stage_rules_release(struct stage_rules *r);
/* A commit has put this in place, now or before. */
void stage_rules_placed(struct stage_rules *r, const struct stage_entry *e);
/*
 * Makes the view of a run that would begin now: since this run began, git's configuration can have
 * named other hooks and programs, a link of a rule can lead elsewhere, and repositories and folders
 * .pol can have appeared.  Call it after all stage_rules_placed() about earlier commits; without it
 * nothing is allowed.  `state` is the folder of the state.  0 or -errno.
 */
int stage_rules_look(struct stage_rules *r, const char *state, struct rt_err *err);
/* For struct stage_judge. */
bool stage_rules_allow(void *rules, const char *path, uint32_t *ret_rule);
bool stage_rules_allow_link(void *rules, const char *path, const char *text, uint32_t *ret_rule);

#endif
