/*
 * Wakes a stopped polrun.  SIGSTOP can be sent to it by anybody who may, and is
 * taken by nobody: the run would go on without time limit and unwatched.  Timers
 * go on in a stopped process, and SIGCONT continues it.
 *
 * A stop throws away a CONT that waits to be taken, and its timer does not ring
 * again (seen on Linux 6.18).  So there are several, each later than the one before,
 * and all are set anew while polrun is awake.
 */
#ifndef RUNTIME_SUPERVISE_WAKER_H
#define RUNTIME_SUPERVISE_WAKER_H

#include <stdint.h>
#include <time.h>

#include "runtime/base/err.h"

#define WAKER_TIMERS 3

struct waker {
	timer_t timers[WAKER_TIMERS];
};

int waker_init(struct waker *w, struct rt_err *err);

/* CONT at `at_ms` of CLOCK_MONOTONIC, and each `step_ms` after; 0: never. */
int waker_set(const struct waker *w, uint64_t at_ms, uint64_t step_ms);

#endif
