/* --plan: what would run, where, and under which settings. */
#ifndef RUNTIME_POLRUN_PREVIEW_H
#define RUNTIME_POLRUN_PREVIEW_H

#include <stdio.h>

#include "runtime/entry/entry.h"
#include "runtime/sandbox/sandbox.h"

struct exactness_here;
struct trust;

struct preview {
	const struct sandbox_run *run;
	const struct sandbox_view *view;
	const struct entry *entry;
	const struct trust *trust;
	const struct exactness_here *here;
	const char *dot_git; /* why git will not work, or empty */
	const char *program;  /* where it was found, or NULL */
	const char *why_not;  /* the reason if it was not found */
};

void preview_print(FILE *out, const struct preview *p);

#endif
