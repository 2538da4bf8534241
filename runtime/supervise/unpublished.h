/*
 * Does the command listen on a port that nobody outside reaches?  A person who has started a
 * server looks at it with a browser of the host and sees nothing; nothing else would say why.
 *
 * A test that opens a port for a moment is not meant: the port is told when the run has listened
 * there for two seconds.  Nor are ports that the kernel chooses itself (bind() to port 0), which
 * programs use among themselves.
 */
#ifndef RUNTIME_SUPERVISE_UNPUBLISHED_H
#define RUNTIME_SUPERVISE_UNPUBLISHED_H

#include <sys/types.h>

#include "runtime/egress/listening.h"

struct unpublished {
	/* set by the caller */
	struct ports quiet; /* nothing is said of these: they are published, or may not be */
	/* Tells it while the command runs; false: not now.  NULL: never */
	bool (*say)(void *arg, uint16_t port);
	void *arg;
	/* the rest is unpublished.c's */
	struct listening inside;
	struct ports seen; /* at the last look */
	uint16_t port;     /* that is to be told; 0: none */
	uint64_t next_ms;
	unsigned looks;
	bool told;
};

#define UNPUBLISHED_NONE { .inside = LISTENING_NONE }

/* Opens the tables of the namespace of `pid`; without them nothing is told. */
void unpublished_open(struct unpublished *u, pid_t pid);
/* `ms` for poll(), shortened (-1: no end) so that the next look is not late. */
int unpublished_wait(const struct unpublished *u, uint64_t now_ms, int ms);
/* Looks if it is time to, and tells it once. */
void unpublished_look(struct unpublished *u, uint64_t now_ms);

#endif
