/* The JSON report of a run (keys: design 05). */
#ifndef RUNTIME_CLI_REPORT_H
#define RUNTIME_CLI_REPORT_H

#include "runtime/cli/entry.h"
#include "runtime/supervise/supervise.h"

/* Opened before the set-up, never through a symbolic link; -errno.  ret_made:
 * it was not there. */
int report_open(const char *path, bool *ret_made, struct rt_err *err);
/* Whether the path goes through a link that lies in the project: a run can
 * have made it, and would choose what is overwritten. */
bool report_is_led(const char *path, const char *project);

struct plan_here;
struct trust;

struct report {
	const struct bundle *bundle;
	const struct trust *trust;
	const struct entry *entry;               /* NULL: nothing was decided */
	unsigned answered;                       /* enum ask_by */
	const struct sandbox_run *run;           /* NULL: nothing was started */
	const struct sandbox_view *view;         /* may be NULL */
	const struct supervise_result *result;   /* NULL: the command did not run */
	const struct plan_here *here;            /* NULL: nothing was decided */
	int status;                              /* polrun's own */
	/* floor names that have appeared, as indexes of view->creatable */
	const size_t *appeared;
	size_t nappeared;
};

int report_write(int fd, const struct report *r, struct rt_err *err);

#endif
