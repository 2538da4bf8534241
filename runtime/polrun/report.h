/* The JSON report of a run (keys: doc/schema/report.json). */
#ifndef RUNTIME_POLRUN_REPORT_H
#define RUNTIME_POLRUN_REPORT_H

#include "runtime/entry/entry.h"
#include "runtime/polrun/report_written.h"
#include "runtime/supervise/supervise.h"

struct left;
struct staged;
struct exactness_here;
struct trust;

struct report {
	const struct bundle *bundle;
	const struct trust *trust;
	const struct entry *entry;               /* NULL: nothing was decided */
	unsigned answered;                       /* enum ask_by */
	const struct sandbox_run *run;           /* NULL: nothing was started */
	const struct sandbox_view *view;         /* may be NULL */
	const struct supervise_result *result;   /* NULL: the command did not run */
	const struct exactness_here *here;            /* NULL: nothing was decided */
	uint64_t unreached;                      /* requests to a network that is off */
	int status;                              /* polrun's exit status */
	/* names of the floor that have appeared, as indexes of view->creatable */
	const size_t *appeared;
	size_t nappeared;
	const struct gateway_log *gateway; /* NULL: the run had no gateway */
	struct report_effects written;
	const struct staged *staged;             /* as left; its record may have no tree */
	const struct left *left;                 /* for a run that has ended; else NULL */
	const char *unordered, *unknown_open;    /* what other_runs.h does not give the run, or "" */
};

int report_write(int fd, const struct report *r, struct rt_err *err);

#endif
