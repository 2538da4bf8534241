/*
 * Finds out what a traced call is about to touch, and whether the view and the policy
 * refuse it.  Used only for messages: the answer is always CONTINUE and the kernel
 * decides, so it does no harm that the reads of the caller's memory are racy.
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
	/* number of paths resolved for the current call */
	unsigned resolutions;
	struct timespec begun; /* time of the first resolution */
	bool given_up;         /* the call has used up its share: its denials count as
	                          lost */
};

/*
 * Limits what one call may cost the supervisor, which also serves all other callers,
 * the signals and the clock.  A path of 4,095 bytes has 2,048 names: a binary search
 * takes 11 resolutions, and the path itself one more, for each of the two paths of
 * rename(2).  One resolution follows at most 40 links (path_resolution(7)), with up to
 * 80,000 names in them.
 */
#define TRACE_MAX_RESOLUTIONS 28
#define TRACE_MAX_MS 1000

/* Opens the two descriptors; the supervisor opens nothing else later. */
int trace_init(struct trace *t, const struct sandbox_run *run,
	       const struct sandbox_view *view, pid_t init_pid, struct denials *d,
	       struct rt_err *err);
void trace_release(struct trace *t);
/* Looks at one call and records what the policy refuses. */
void trace_look(struct trace *t, const struct seccomp_notif *req);

#endif
