/* Timers that continue a stopped polrun: see waker.h. */
#include "runtime/supervise/waker.h"

#include <errno.h>
#include <signal.h>

#include "runtime/base/sys.h"

int waker_init(struct waker *w, struct rt_err *err)
{
	struct sigevent ev = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGCONT };

	for (size_t i = 0; i < WAKER_TIMERS; i++)
		if (timer_create(CLOCK_MONOTONIC, &ev, &w->timers[i]) != 0)
			return rt_fail_errno(err, errno, "cannot make a timer");
	return 0;
}

int waker_set(const struct waker *w, uint64_t at_ms, uint64_t step_ms)
{
	for (size_t i = 0; i < WAKER_TIMERS; i++) {
		uint64_t at = at_ms + i * step_ms;
		struct itimerspec its = { 0 };

		if (at_ms) {
			its.it_value.tv_sec = (time_t)(at / 1000);
			its.it_value.tv_nsec = (long)(at % 1000) * 1000000 + 1;
		}
		if (timer_settime(w->timers[i], TIMER_ABSTIME, &its, NULL) != 0)
			return -errno;
	}
	return 0;
}
