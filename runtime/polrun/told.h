/* Lines before a run and after it.  What only informs goes to `notes`. */
#ifndef RUNTIME_POLRUN_TOLD_H
#define RUNTIME_POLRUN_TOLD_H

#include <stdio.h>

#include "runtime/bundle/trust.h"
#include "runtime/entry/entry.h"
#include "runtime/polrun/exactness.h"
#include "runtime/sandbox/sandbox.h"
#include "runtime/supervise/supervise.h"

struct told {
	FILE *notes; /* stderr, or with -q nowhere */
	const struct trust *trust; /* under which the bundle was opened */
	const struct sandbox_run *run;
	const struct sandbox_view *view;
	const struct entry *entry;
	const struct exactness_here *here;
	const char *dot_git; /* why git will not work, or "" */
	const struct supervise_result *result;
	const struct unreached *unreached;
	const struct unpublished *unpublished;
	const struct gateway_log *gateway; /* NULL: the run has no gateway */
	bool verbose;
	int project; /* descriptor of its directory, or -1 */
};

/* Before the command: with -v the bundle's change statement and what it does not hold
 * exactly; and which trees are read-only in this run. */
void told_begin(const struct told *t);
/* Lets the supervisor tell that the network is off, as soon as the command asks for it.
 * `t` must live as long as the run. */
void told_arm(const struct told *t, struct unreached *u, bool report);
/* Lets the supervisor tell that the command serves a port that nobody outside reaches. */
void told_arm_unpublished(const struct told *t, struct unpublished *u);
/* After it: why polrun ended it; if it failed, what may be the reason. */
void told_end(const struct told *t);
/* For -v. */
void told_totals(const struct told *t);

#endif
