/*
 * The one listener.  Calls that the filter denies are recorded and answered with the
 * rule's errno; traced calls are looked at and continued; writing calls are the broker's
 * where the view has trees in which names are decided one by one.
 */
#ifndef RUNTIME_SUPERVISE_LISTENER_H
#define RUNTIME_SUPERVISE_LISTENER_H

#include <linux/filter.h>

#include "runtime/supervise/brokered.h"
#include "runtime/supervise/trace.h"

struct listener {
	int fd; /* -1: no listener, or its last caller has ended */
	struct bundle *bundle;
	const struct sock_filter *insns; /* the loaded filter */
	size_t ninsns;
	const struct pb_map *map;
	enum pb_filter_kind kind; /* of the loaded filter */
	struct brokered *brokered; /* the caller's; NULL, or not on: no tree is brokered */
	struct trace trace;
	struct denials *denials;
	struct seccomp_notif *req; /* of the size that the kernel asks for */
	struct seccomp_notif_resp *resp;
	size_t req_size, resp_size;
};

/* Takes over child->listener. */
int listener_init(struct listener *l, const struct sandbox_run *run,
		  const struct sandbox_view *view, struct sandbox_child *child,
		  struct denials *d, struct rt_err *err);
/* Answers one call; call it when poll() returns POLLIN.  On POLLHUP (no process is left
 * under the filter) the caller closes the listener with listener_release(). */
int listener_serve(struct listener *l);
/* Goes on with those that wait for a copy. */
int listener_go_on(struct listener *l);
/* Looks at those that wait for the other end of a FIFO. */
int listener_fifos(struct listener *l);
void listener_release(struct listener *l);

/* The filter's verdict on one call; tests use it, too. */
struct listener_verdict {
	uint8_t verdict; /* enum pb_verdict; PB_V_DENY if the map does not name the pc */
	int err;
	uint32_t rule;
	unsigned args; /* bit N: the filter looked at argument N */
};
void listener_judge(const struct listener *l, const struct seccomp_data *data,
		    struct listener_verdict *ret);

#endif
