/*
 * What a traced call was about to touch, and whether the view and the policy
 * refuse it.  Only for messages: the caller always gets CONTINUE and the
 * kernel decides, so the racy read of its memory harms nobody.
 */
#ifndef RUNTIME_SUPERVISE_TRACE_H
#define RUNTIME_SUPERVISE_TRACE_H

#include <linux/seccomp.h>
#include <stdbool.h>

#include "runtime/supervise/supervise.h"

struct trace {
	const struct sandbox_run *run;
	const struct sandbox_view *view;
	struct denials *denials;
	int proc_fd; /* O_PATH of /proc; -1: nothing can be traced */
	int root_fd; /* O_PATH of the sandbox's root */
};

/* Takes the two descriptors; the supervisor opens nothing else later. */
int trace_init(struct trace *t, const struct sandbox_run *run,
	       const struct sandbox_view *view, pid_t init_pid, struct denials *d,
	       struct rt_err *err);
void trace_release(struct trace *t);
/* Looks at one call and records what the policy refuses of it. */
void trace_look(struct trace *t, const struct seccomp_notif *req);

#endif
