/* Which ports of a run are published on this machine's loopback: those of -P, and those of the
 * policy's rules. */
#ifndef RUNTIME_POLRUN_PUBLISHED_H
#define RUNTIME_POLRUN_PUBLISHED_H

#include <stdio.h>

#include "runtime/polrun/polrun_options.h"
#include "runtime/supervise/publish.h"
#include "runtime/supervise/unpublished.h"

/* Refuses what the policy denies, and starts the process that passes connections on. */
int published_start(const struct sandbox_run *run, const struct polrun_options *opt, FILE *notes,
		    struct publish *ret, struct rt_err *err);
/* How the run's port is published, or by which rule it may not be: for a line. */
const char *published_way(const struct bundle *b, uint16_t port, char *buf, size_t size);
/* Names the ports of which no note is made. */
void published_arm(const struct sandbox_run *run, const struct polrun_options *opt, struct unpublished *u);
/* Prints lines for --plan. */
void published_preview(FILE *out, const struct sandbox_run *run, const struct polrun_options *opt);

#endif
