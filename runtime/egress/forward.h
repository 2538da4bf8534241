/*
 * Passes connections to the loopback of this machine on into the loopback of a run: the loop of
 * the process that runtime/supervise/publish.h starts.  The process has entered the run's network
 * namespace, so that each socket that it makes is the run's; the sockets at which it listens were
 * made outside, and stay there.
 */
#ifndef RUNTIME_EGRESS_FORWARD_H
#define RUNTIME_EGRESS_FORWARD_H

#include "runtime/egress/listening.h"

enum {
	FORWARD_GIVEN = 32,   /* ports that the command line may publish */
	FORWARD_FOUND = 32,   /* ports that a run may publish by a rule: each has spare sockets */
	FORWARD_CONNS = 256,  /* connections at once; more wait in the kernel */
	FORWARD_BACKLOG = 128
};

/* A port of this machine, and the run's port to which it leads. */
struct forward_port {
	int fds[2]; /* on 127.0.0.1 and ::1; -1: none */
	uint16_t host, inside; /* 0: spare sockets, not bound yet */
	bool bound[2], open;
	bool found; /* published by a rule, and told */
};

struct forward {
	int stop; /* hangs up or has a byte: the run has ended */
	struct forward_port ports[FORWARD_GIVEN + FORWARD_FOUND];
	size_t nports;
	/* ports that are published when the run listens there; with the spare ones of `ports` */
	struct ports wanted;
	bool watches;           /* there are such */
	uint16_t lowest;        /* from here on programs of the run may listen; 0: from 1024 on */
	struct listening inside;
	bool quiet;
	size_t most;            /* connections at once */
};

/* Binds on loopback and listens; both sockets or, where the kernel has no IPv6, the first.  0 or
 * -errno. */
int forward_listen(struct forward_port *p);
/* Makes the two sockets.  0 or -errno. */
int forward_make(struct forward_port *p);
void forward_close(struct forward_port *p);
/* How many connections there may be: each takes two descriptors.  Raises the limit of open files if
 * it can. */
size_t forward_most(const struct forward *f);
/* Until the run ends, and the connections with it. */
void forward_serve(struct forward *f);

#endif
