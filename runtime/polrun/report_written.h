/* What the run has changed, for the report. */
#ifndef RUNTIME_POLRUN_REPORT_WRITTEN_H
#define RUNTIME_POLRUN_REPORT_WRITTEN_H

#include "runtime/base/json.h"
#include "runtime/sandbox/sandbox_view.h"
#include "runtime/supervise/effects.h"

struct artifacts;

struct report_effects {
	const struct sandbox_view *view;
	const struct effects *effects;     /* settled; NULL: the command did not run */
	const struct artifacts *artifacts; /* NULL: without --artifacts */
	bool staged;                       /* nothing is in place yet */
};

/* The key "written": null where nobody looked. */
void report_written(struct json *j, const struct report_effects *r);
/* What it does not list, as lines of mechanisms[]. */
void report_written_how(struct json *j, const struct report_effects *r);

#endif
