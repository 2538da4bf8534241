/*
 * polgate's end of the socket to polinject (inject.h): passes connections on, and hears
 * how they ended.
 */
#ifndef RUNTIME_EGRESS_GATE_INJECT_H
#define RUNTIME_EGRESS_GATE_INJECT_H

#include <event2/event.h>
#include <event2/event_struct.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include "runtime/base/err.h"
#include "runtime/bundle/format.h"
#include "runtime/egress/inject.h"

struct gate_inject_wait {
	LIST_ENTRY(gate_inject_wait) link;
	uint32_t id; /* 0: waits for nothing */
	/* Called once.  `text` of `done` ends with a NUL. */
	void (*done)(struct gate_inject_wait *w, const struct inject_done *done);
};
LIST_HEAD(gate_inject_waits, gate_inject_wait);

struct gate_inject {
	struct event_base *base;
	struct event event;
	bool on; /* there is a polinject */
	uint32_t last;
	struct gate_inject_waits waits;
};

/* Does a grant of the policy inject something, so that polrun gives GATE_INJECT? */
bool gate_inject_is_needed(const struct pb_egress *e);

/* Waits until polinject is confined and serves; at most ten seconds. */
int gate_inject_ready(struct rt_err *err);

/* From now on it is heard; without it nothing is injected, so if it ends, `base` is
 * left. */
int gate_inject_init(struct gate_inject *g, struct event_base *base);

/*
 * Passes both ends on.  The caller closes its own ones if it returns 0; w->done is
 * called when the connection has ended.  -EAGAIN, -ETOOMANYREFS: polinject has not taken the
 * last ones yet; another -errno: it takes none.
 */
int gate_inject_pass(struct gate_inject *g, const struct inject_open *open,
		     const int fd[2], struct gate_inject_wait *w);
void gate_inject_cancel(struct gate_inject_wait *w);

/* The run has ended: polinject ends its connections, and w->done is called for each that it still
 * speaks of within `ms`. */
void gate_inject_finish(struct gate_inject *g, int ms);

#endif
