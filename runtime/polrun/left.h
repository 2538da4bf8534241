/*
 * What a run may leave below the project for git, editors and shells to believe:
 * repositories that were not there before, and names of the floor.  A record in
 * the folder of polrun's state (left_store.h) is written before the run begins, so
 * that it outlives a polrun that is killed: the next run in the project looks then.
 * Each run there says how much nobody has acknowledged (`polquery left`).
 */
#ifndef RUNTIME_POLRUN_LEFT_H
#define RUNTIME_POLRUN_LEFT_H

#include <stdio.h>

#include "runtime/sandbox/sandbox.h"
#include "runtime/state/left_store.h"

struct left {
	const char *project;
	bool can; /* it can write below the project at all */
	int top; /* the project's folder, from which alone is looked */
	int fd;  /* the record, locked as long as this run lives; -1: there is none */
	struct left_pile found;    /* of this run */
	enum left_kind incomplete; /* how the search after it ended; LEFT_KINDS: whole */
	bool as_before;            /* no better did the one before it */
};

/*
 * Before the supervisor confines itself.  `dir` is the folder of polrun's state,
 * which is made where the run could leave anything.  Without a record the run goes
 * on, and one line says so.
 */
void left_begin(struct left *l, const char *dir, const char *project,
		const struct sandbox_view *view, FILE *out);
/* After the run; `which`: the names in view->creatable that have appeared, which
 * were named already.  Only from descriptors. */
void left_end(struct left *l, const struct sandbox_view *view, const size_t *which,
	      size_t n, FILE *out);
void left_release(struct left *l);

#endif
