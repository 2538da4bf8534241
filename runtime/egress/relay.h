/*
 * The connections of a run: from accept() over the decision, the question to a person,
 * the look at what is sent, the name's addresses and the dialling to the bytes that
 * pass both ways.  Whatever is refused is closed with a reset, and recorded.
 */
#ifndef RUNTIME_EGRESS_RELAY_H
#define RUNTIME_EGRESS_RELAY_H

#include "runtime/egress/relay_conn.h"

/* `most`: connections at a time.  0 or -ENOMEM. */
int relay_init(struct relay *r, uint32_t rule_count, uint32_t most);
/* Accepts from the listening socket (non-blocking); `which` 0 or 1. */
int relay_listen(struct relay *r, int which, int fd);
/* Closes all connections, each with its record. */
void relay_release(struct relay *r);

#endif
