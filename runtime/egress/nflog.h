/*
 * Packets that the table of a run refused, as the kernel logs them (NFLOG): becomes a
 * record with the name that the address stands for and the rule that decided.
 */
#ifndef RUNTIME_EGRESS_NFLOG_H
#define RUNTIME_EGRESS_NFLOG_H

#include <stddef.h>
#include <stdint.h>

#include "runtime/egress/gate.h"
#include "runtime/egress/reach.h"

/* Called for each refused packet. */
typedef void nflog_each(void *arg, const struct gate_record *rec);

/* Reads the netlink messages of one datagram.  What is malformed is skipped. */
void nflog_read(const struct reach_policy *p, const uint8_t *data, size_t n,
		nflog_each *each, void *arg);
/* The record of one packet (an IP packet's first bytes); false: it is none. */
bool nflog_packet(const struct reach_policy *p, const uint8_t *packet, size_t n,
		  struct gate_record *ret);

#endif
