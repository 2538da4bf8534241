/*
 * Does the command ask for a network that it has not got?  The run's own network namespace
 * has no route, so the kernel refuses each such request at once; a program that takes this
 * for a weak connection tries again for minutes.  The namespace's own counters show it
 * (OutNoRoutes of IPv4 and IPv6, and NoPorts of UDP: the host's resolver is often on its
 * loopback), and to read them costs the command nothing.
 */
#ifndef RUNTIME_SUPERVISE_UNREACHED_H
#define RUNTIME_SUPERVISE_UNREACHED_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct unreached {
	/* set by the caller */
	bool eager;  /* the command is one that fetches: the first request is told */
	bool always; /* counted at the end of a run that worked, too */
	/* Tells it while the command runs; false: not now, it may be told afterwards.
	   NULL: never */
	bool (*say)(void *arg);
	void *arg;
	/* the rest is unreached.c's */
	bool told;
	uint64_t n;  /* number of requests at the last look */
	int fd4, fd6;
	uint64_t first, first_ms, next_ms;
	unsigned looks;
};

#define UNREACHED_NONE { .fd4 = -1, .fd6 = -1 }

/*
 * Opens the counters of the namespace of `pid`; without them nothing is told.  They stay
 * open until polrun exits, and keep the namespace alive: the kernel destroys it in a
 * thread of its own, which would compete with polrun's and polinit's remaining work.
 */
void unreached_open(struct unreached *u, pid_t pid);
/* `ms` for poll(), shortened (-1: no end) so that the next look is not late. */
int unreached_wait(const struct unreached *u, uint64_t now_ms, int ms);
/* Looks if it is time to, and tells it once: at the first request if `eager`, else when
 * the command tries again after a second. */
void unreached_look(struct unreached *u, uint64_t now_ms);
/* The last look: if the command failed, or `always`. */
void unreached_end(struct unreached *u, bool failed);

#endif
