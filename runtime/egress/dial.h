/*
 * Connects to the first of several addresses that answers (RFC 8305): a new attempt
 * every DIAL_STEP_MS, or at once when one fails, all within DIAL_MS.  It dials exactly
 * the addresses that it is given, which the caller has checked.
 */
#ifndef RUNTIME_EGRESS_DIAL_H
#define RUNTIME_EGRESS_DIAL_H

#include <event2/event.h>
#include <event2/event_struct.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DIAL_ADDRESSES 16
#define DIAL_AT_ONCE 6
#define DIAL_STEP_MS 250
#define DIAL_MS 10000

struct dial_try {
	struct dial *dial;
	struct event event;
	int fd; /* -1: none */
	uint8_t address;
};

struct dial {
	struct event_base *base;
	/* Called once, unless dial_start() or dial_stop() ends it before; it may free
	 * `dial`.  `fd` is connected and the callee's, or -errno. */
	void (*done)(struct dial *d, int fd);
	void *arg;
	uint8_t addr[DIAL_ADDRESSES][16]; /* v4 is v4-mapped */
	size_t count, next, used; /* `used`: the address that was connected to */
	uint16_t port;
	int error; /* of the last failure */
	uint64_t began;
	struct event timer;
	struct dial_try tries[DIAL_AT_ONCE];
};

/* `addr`, `count` (at least 1), `port`, `base`, `done` and `arg` are set.  A connected
 * descriptor, -EINPROGRESS (`done` will be called), or another -errno. */
int dial_start(struct dial *d);
void dial_stop(struct dial *d);

/* Milliseconds of the monotonic clock. */
uint64_t dial_now(void);

#endif
