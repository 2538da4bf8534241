/*
 * What a run may leave for git, editors and shells to trust, below the project:
 * repositories that were not there before (also in the other trees that it writes),
 * names of the floor, and names that a program may read
 * that no list has yet (new_names.h).  A record in the
 * folder of polrun's state (left_store.h) is written before the run begins, so that it
 * remains if polrun is killed: the next run in the project then looks.  Each run in the
 * project says how much nobody has acknowledged yet (`polquery left`).
 */
#ifndef RUNTIME_POLRUN_LEFT_H
#define RUNTIME_POLRUN_LEFT_H

#include <stdio.h>

#include "runtime/polrun/new_names.h"
#include "runtime/sandbox/sandbox.h"
#include "runtime/state/left_store.h"

struct left {
	const char *project;
	bool can; /* the run can write below the project */
	int top; /* the project's folder; only what lies below it is looked at */
	int fd;  /* the record, locked as long as this run lives; -1: there is none */
	struct new_names names;
	bool names_cut; /* not all of them were looked at */
	struct left_pile found;    /* found after this run */
	enum left_kind incomplete; /* how the search after the run ended; LEFT_KINDS: it
	                              was complete */
	bool as_before;            /* the search before the run ended no better */
	int *tree;                 /* the folders of view->trees; -1: it is not there */
	size_t ntrees;
};

/*
 * Call it before the supervisor confines itself.  `dir` is the folder of polrun's
 * state; it is made if the run could leave anything.  Without a record the run
 * continues, and one line says so.
 */
void left_begin(struct left *l, const char *dir, const char *project, const struct bundle *b,
		const struct sandbox_view *view, FILE *out);
/* Call it after the run.  `which` lists the names in view->creatable that have
 * appeared, which have been reported already.  Uses only descriptors. */
void left_end(struct left *l, const struct sandbox_view *view, const size_t *which,
	      size_t n, FILE *out);
/* Call it instead of left_end() if the run could not be started: takes the record back,
 * so that nobody looks for what a killed run has left. */
void left_cancel(struct left *l);
void left_release(struct left *l);

#endif
