/*
 * polrun --stage: gives the writable trees of a view upper layers in the user's state, and
 * keeps the record of what a review needs (runtime/stage).  A run that cannot be staged
 * is refused; it never writes the trees themselves.
 */
#ifndef RUNTIME_POLRUN_STAGED_H
#define RUNTIME_POLRUN_STAGED_H

#include <stdio.h>

#include "runtime/sandbox/sandbox.h"
#include "runtime/stage/stage_store.h"

struct staged {
	bool on;    /* --stage */
	bool made;  /* `stage` is valid: a tree is staged */
	bool empty; /* the run has ended, and has changed nothing */
	struct stage stage;
	struct sandbox_layer *layers; /* malloc'ed, with their paths */
	size_t n;
	char folder[PATH_MAX];
};

#define STAGED_NONE { .stage = STAGE_NONE }

/* What is asked of each tree; a text for people in err.  0, -errno. */
int staged_check(const struct sandbox_run *run, const struct sandbox_view *v,
		 const char *state, struct rt_err *err);
/*
 * Makes the layers of the view's trees, and sets run->layers.  `bundle` is the file of
 * run->bundle.  Does nothing if the run can write no tree of the host.  0 or -errno.
 */
int staged_begin(struct staged *s, struct sandbox_run *run, const struct sandbox_view *v,
		 const char *state, const char *bundle, struct rt_err *err);
/* The layers are mounted, and the command is about to start.  A failure ends the run. */
int staged_started(struct staged *s, pid_t init_pid, struct rt_err *err);
/* Closes the descriptors of the layers, which nobody needs any more. */
void staged_drop(struct staged *s);
/* The run has ended.  Uses only descriptors.  Says how to go on, or that nothing was
 * changed. */
void staged_end(struct staged *s, int status, FILE *out);
/* Removes it if the command has not started; also after nothing. */
void staged_cancel(struct staged *s, struct sandbox_run *run);
void staged_release(struct staged *s);
/* Which trees would be staged: for --plan. */
void staged_preview(FILE *out, const struct sandbox_run *run, const struct sandbox_view *v,
		    const char *state);

#endif
