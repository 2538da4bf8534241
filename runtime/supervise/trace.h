/*
 * What a traced call was about to touch, and whether the view and the policy
 * refuse it.  Only for messages: the caller always gets CONTINUE and the
 * kernel decides, so the racy read of its memory harms nobody.
 */
#ifndef RUNTIME_SUPERVISE_TRACE_H
#define RUNTIME_SUPERVISE_TRACE_H

#include <linux/seccomp.h>
#include <stdbool.h>
#include <time.h>

#include "runtime/sandbox/sandbox.h"
#include "runtime/supervise/denials.h"

struct trace {
	const struct sandbox_run *run;
	const struct sandbox_view *view;
	struct denials *denials;
	int proc_fd; /* O_PATH of /proc; -1: nothing can be traced */
	int root_fd; /* O_PATH of the sandbox's root */
	/* of the call at hand */
	unsigned resolutions;
	struct timespec begun; /* the first of them */
	bool given_up;         /* it has had its share: its denials count as lost */
};

/*
 * What one call may cost the supervisor, which serves every other caller, the
 * signals and the clock, too.  A path of 4,095 bytes has 2,048 names: 11 halves
 * and itself, for each of the two paths of rename(2).  One resolution follows 40
 * links at most (path_resolution(7)), with up to 80,000 names behind them.
 */
#define TRACE_MAX_RESOLUTIONS 28
#define TRACE_MAX_MS 1000

/* Takes the two descriptors; the supervisor opens nothing else later. */
int trace_init(struct trace *t, const struct sandbox_run *run,
	       const struct sandbox_view *view, pid_t init_pid, struct denials *d,
	       struct rt_err *err);
void trace_release(struct trace *t);
/* Looks at one call and records what the policy refuses of it. */
void trace_look(struct trace *t, const struct seccomp_notif *req);

#endif
