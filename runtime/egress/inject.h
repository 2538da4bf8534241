/*
 * What polgate and polinject tell each other.  polinject is the process that adds a
 * credential to the requests of a rule with `inject`: it has the secrets, reads HTTP
 * from the command and speaks TLS to the server.  polgate decides, resolves, guards and
 * dials; it has neither a secret nor a TLS library.  polinject can make no socket and
 * open no file.
 *
 * polrun starts both.  polinject has no arguments and an empty environment.  Its
 * descriptors:
 *   0-2  /dev/null
 *   3    a socket to polgate, SOCK_SEQPACKET (polgate has the other end as GATE_INJECT);
 *        one message is one struct below
 *   4    a sealed memfd as polgate's (gate.h), with the secrets of `inject` in it
 *   5    the host's certificate authorities, a file in PEM, open for reading
 *   6    a memfd that both share, of fixed size: what is used up of the limits (spent.h)
 *
 * Order: polinject reads all of it, confines itself and sends INJECT_READY (or
 * INJECT_FAILED); polgate is not ready before.  For each connection that a rule with
 * `inject` lets through, polgate waits for the head of a request (relay_inject.h), dials the server (port pb_grant.dial) and sends
 * INJECT_OPEN with two descriptors, the command's end and the server's, and closes its
 * own copies.  When the connection has ended, polinject sends INJECT_DONE.  Either ends
 * when the socket hangs up.
 *
 * polinject trusts polgate with the address only.  It looks the name up in egress.bin
 * itself and gives a secret to no server whose certificate is not for a name whose rule
 * says so.
 */
#ifndef RUNTIME_EGRESS_INJECT_H
#define RUNTIME_EGRESS_INJECT_H

#include <stdint.h>

#include "runtime/egress/gate.h"

#define INJECT_GATE 3
#define INJECT_CONFIG 4
#define INJECT_CA 5
#define INJECT_SPENT 6
/* polgate's descriptors; only if a grant injects something */
#define GATE_INJECT 5
#define GATE_SPENT 6

#define INJECT_PORT 80 /* inside of the run: what the rule matches */
#define INJECT_CONNECTIONS \
	512 /* at a time; more are INJECT_DONE with GATE_W_LIMIT at once */
#define INJECT_SECRET_MAX 4096 /* bytes of a secret: printable ASCII */

enum inject_type {
	/* polgate to polinject */
	INJECT_OPEN = 1, /* struct inject_open and SCM_RIGHTS: the command's connection,
			    then the server's; both TCP and connected */
	/* polinject to polgate */
	INJECT_READY,  /* struct inject_done, nothing else set */
	INJECT_FAILED, /* struct inject_done: `text` */
	INJECT_DONE    /* struct inject_done */
};

struct inject_open {
	uint32_t type, id; /* `id` comes back in INJECT_DONE */
	uint32_t rule;     /* whose limit of bytes it is; 0 without one */
	uint16_t port;     /* that was dialled: stands in Host if it is not 443 */
	uint16_t zero;
	uint64_t bytes; /* that may pass in the run, both ways and all connections of
			   the rule together; 0: no limit */
	char name[256]; /* the host name, in lower case; ends with NUL */
};

struct inject_done {
	uint32_t type, id;
	uint32_t what, why; /* enum gate_what, enum gate_why: GATE_CLOSED if requests
			       were passed on */
	uint32_t error;     /* errno, or 0 */
	uint32_t requests;  /* that were passed on */
	uint64_t up, down;  /* bytes from and to the command */
	char text[GATE_TEXT]; /* printable ASCII without a part of the secret; ends with NUL */
};

#endif
