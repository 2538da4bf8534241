/*
 * The process that passes connections from this machine's loopback into the run's
 * (runtime/egress/forward.h).  It listens before the run begins, so that a port in use is named
 * at the start, and enters the run's network namespace when that is there.  A run with neither
 * -P nor a rule that publishes has no such process.
 *
 * It reads nothing of what passes.  It opens no file, executes nothing, and its new sockets reach
 * nothing but the run; it ends with polrun.
 */
#ifndef RUNTIME_SUPERVISE_PUBLISH_H
#define RUNTIME_SUPERVISE_PUBLISH_H

#include "runtime/egress/forward.h"
#include "runtime/sandbox/sandbox.h"

struct publish {
	int sock;  /* -1: there is no process */
	pid_t pid;
};

#define PUBLISH_NONE { -1, 0 }

/* A port of this machine and the run's port to which it leads. */
struct publish_pair {
	uint16_t host, inside;
};

enum { PUBLISH_UNPRIVILEGED = 1024 /* the first port of this machine that a user may publish */ };

struct publish_want {
	const struct publish_pair *given; /* published at once; at most FORWARD_GIVEN */
	size_t ngiven;
	const struct ports *wanted; /* published when the run listens there; NULL: none */
	bool gateway; /* the run's network leads to polgate */
	bool quiet;
};

/* Listens and starts the process, if anything is wanted.  The error names the port. */
int publish_start(struct publish *p, const struct publish_want *want, struct rt_err *err);
/* Lets the process enter the run, and waits until it is confined.  Call it before confine_self(),
 * from a process with one thread. */
int publish_enter(struct publish *p, const struct sandbox_run *run, int init_pidfd, struct rt_err *err);
/* The run has ended: what it has sent is passed on, within two seconds. */
void publish_end(struct publish *p);

#endif
