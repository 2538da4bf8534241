/* Lines about a run that has ended. */
#ifndef RUNTIME_POLRUN_TOLD_H
#define RUNTIME_POLRUN_TOLD_H

#include <stdio.h>

#include "runtime/sandbox/sandbox.h"
#include "runtime/supervise/supervise.h"

/* Why polrun ended the run: a process outside has changed the name of a wall. */
void told_wall(FILE *out, const struct bundle *b, const struct sandbox_wall *w);
/* For -v. */
void told_totals(FILE *out, const struct supervise_result *r);

#endif
