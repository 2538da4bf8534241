/*
 * Finds out what a traced call is about to touch, and whether the view and the policy
 * refuse it.  Used only for messages: the answer is always CONTINUE and the kernel
 * decides, so it does no harm that the reads of the caller's memory are racy.
 */
#ifndef RUNTIME_SUPERVISE_TRACE_H
#define RUNTIME_SUPERVISE_TRACE_H

#include <linux/seccomp.h>

#include "runtime/supervise/judge.h"
#include "runtime/broker/tracee.h"

struct trace {
	struct judge judge;
	struct tracee_paths paths;
};

/* Opens the descriptors of t->paths; the supervisor opens nothing else later. */
int trace_init(struct trace *t, const struct sandbox_run *run,
	       const struct sandbox_view *view, pid_t init_pid, struct denials *d,
	       struct rt_err *err);
void trace_release(struct trace *t);
/* Looks at one call and records what the policy refuses. */
void trace_look(struct trace *t, const struct seccomp_notif *req);

#endif
