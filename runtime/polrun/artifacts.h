/*
 * What a run has changed in the trees that it writes itself (--artifacts): each is gone through
 * before the run and after it, and what differs is put to the effects that polrun noted where
 * it made the writing calls.  A change by somebody else in the meantime looks the same.
 */
#ifndef RUNTIME_POLRUN_ARTIFACTS_H
#define RUNTIME_POLRUN_ARTIFACTS_H

#include "runtime/sandbox/sandbox_view.h"
#include "runtime/supervise/effects.h"

#define ARTIFACTS_MOST 1000000u /* names, of all trees */

struct artifact_tree;

struct artifacts {
	struct artifact_tree *v; /* malloc'ed */
	size_t n;
	int self; /* O_PATH of /proc/self/fd; -1 unless v */
	const struct sandbox_view *view;
	char cut[300]; /* why not all was searched, and where; or empty */
};

/* Goes through the trees of the view, whose descriptors are still open.  0 or -errno. */
int artifacts_begin(struct artifacts *a, const struct sandbox_view *view);
/* Goes through them again, with nothing but descriptors. */
void artifacts_end(struct artifacts *a, struct effects *e);
void artifacts_release(struct artifacts *a);

#endif
