/*
 * Wakes a stopped polrun.  Another process with permission can send it SIGSTOP, which
 * nobody can catch; the run would then continue without time limit and unwatched.
 * Timers continue in a stopped process, and SIGCONT continues it.  But a stop discards
 * a pending CONT, and the timer that sent it does not fire again (seen on Linux 6.18).
 * So there are several timers, each later than the one before, and all of them are set
 * again while polrun is awake.
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

/* Sends CONT at `at_ms` of CLOCK_MONOTONIC and every `step_ms` after that; 0: never. */
int waker_set(const struct waker *w, uint64_t at_ms, uint64_t step_ms);

#endif
