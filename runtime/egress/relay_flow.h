/* The part of a connection in which bytes flow. */
#ifndef RUNTIME_EGRESS_RELAY_FLOW_H
#define RUNTIME_EGRESS_RELAY_FLOW_H

#include "runtime/egress/relay_conn.h"

enum relay_run { RELAY_ON, RELAY_GONE };

/*
 * Looks at what the command has sent.  *ret_more: c->up.budget bytes may pass, or
 * the end.  RELAY_GONE: the connection was refused or has ended.
 */
enum relay_run relay_look(struct relay_conn *c, bool *ret_more);
/* Both ends are connected: moves bytes until both have ended. */
void relay_flow(struct relay_conn *c, int server);
/* For the event that runs those that had their turn (struct relay). */
void relay_again(evutil_socket_t fd, short what, void *arg);

#endif
