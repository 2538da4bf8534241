/* The part of a connection that an upstream proxy takes out. */
#ifndef RUNTIME_EGRESS_RELAY_VIA_H
#define RUNTIME_EGRESS_RELAY_VIA_H

#include "runtime/egress/relay_conn.h"

/*
 * Dials the proxy of the connection's rule (grant->via) and asks it for the destination:
 * the name, which the proxy resolves itself, or the address.  `connected` gets the socket
 * behind which the destination is; else the connection is refused and gone.
 */
void relay_via(struct relay_conn *c, void (*connected)(struct relay_conn *c, int server));

#endif
