/*
 * A connection whose rule adds a credential.  polgate holds it until the head of a request is
 * whole, and only then asks for the name's address and dials: half a request, or none, costs
 * nothing outside and none of polinject's places.  polinject gets both ends then, reads the
 * request by itself and decides; what is seen here is only when.
 */
#ifndef RUNTIME_EGRESS_RELAY_INJECT_H
#define RUNTIME_EGRESS_RELAY_INJECT_H

#include "runtime/egress/relay_conn.h"

/* Calls `whole` when there is a head, or what is none and never will be one.  A time
 * limit and the end of the command's side end the connection. */
void relay_inject_wait(struct relay_conn *c, void (*whole)(struct relay_conn *c));
/* Passes the command's end and the server's to polinject. */
void relay_inject(struct relay_conn *c, int server);

#endif
