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

/* What the kernel could not deliver in a flood. */
struct nflog_lost {
	uint32_t next;  /* number of the packet that is expected next */
	uint32_t told;  /* of the gap that is not known yet, as many were told already */
};

/* Reads the netlink messages of one datagram.  What is malformed is skipped; packets that
 * are missing in front of one become a record of how many. */
void nflog_read(struct nflog_lost *l, const struct reach_policy *p, const uint8_t *data, size_t n,
		nflog_each *each, void *arg);
/* The log was overrun: at least one packet is missing, however many it turns out to be. */
void nflog_overrun(struct nflog_lost *l, nflog_each *each, void *arg);
/* The record of one packet (an IP packet's first bytes); false: it is none. */
bool nflog_packet(const struct reach_policy *p, const uint8_t *packet, size_t n,
		  struct gate_record *ret);

#endif
