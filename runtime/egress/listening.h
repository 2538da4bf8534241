/*
 * At which TCP ports do the programs of a network namespace listen?  The kernel's tables of
 * sockets say it (/proc/PID/net/tcp and tcp6), in which listening sockets come first.
 */
#ifndef RUNTIME_EGRESS_LISTENING_H
#define RUNTIME_EGRESS_LISTENING_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>

/* A set of ports. */
struct ports {
	uint64_t v[65536 / 64];
};

static inline bool ports_has(const struct ports *p, uint16_t port)
{
	return p->v[port / 64] >> port % 64 & 1;
}

static inline void ports_add(struct ports *p, uint16_t port)
{
	p->v[port / 64] |= UINT64_C(1) << port % 64;
}

static inline void ports_remove(struct ports *p, uint16_t port)
{
	p->v[port / 64] &= ~(UINT64_C(1) << port % 64);
}

static inline void ports_add_range(struct ports *p, uint16_t lo, uint16_t hi)
{
	for (uint32_t port = lo; port <= hi; port++)
		ports_add(p, (uint16_t)port);
}

struct listening {
	int fd4, fd6; /* the tables; -1: none */
};

#define LISTENING_NONE { -1, -1 }

/* Opens the tables of the namespace of `pid`; 0: of the caller's own. */
void listening_open(struct listening *l, pid_t pid);
void listening_close(struct listening *l);
/* Adds each port at which a program listens on an address that a connection to loopback
 * reaches: any address, 127.0.0.1 or ::1. */
void listening_look(const struct listening *l, struct ports *ret);

#endif
