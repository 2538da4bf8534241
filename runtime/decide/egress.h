/*
 * Look-ups in egress.bin (runtime/bundle/format.h), which bundle_check_egress() must have
 * accepted.  Pure: no allocation, no state.  decide/net.c and polgate decide with them.
 */
#ifndef RUNTIME_DECIDE_EGRESS_H
#define RUNTIME_DECIDE_EGRESS_H

#include <stdbool.h>
#include <stddef.h>

#include "runtime/bundle/format.h"

/*
 * The class of a name: that of exactly this name, else of the longest name of which it is
 * below, else e->other_class.  `name` is in lower case, without a dot at the end.
 */
uint32_t egress_class(const struct pb_egress *e, const char *name, size_t n);
/* The entry of hosts that decides so, or NULL: none does. */
const struct pb_host *egress_host(const struct pb_egress *e, const char *name, size_t n);
/* The decision for a name of this class; never NULL. */
const struct pb_piece *egress_name(const struct pb_egress *e, uint32_t class_, bool udp,
				   uint16_t port);
/* The decision for an address (v4 as v4-mapped v6); never NULL. */
const struct pb_piece *egress_addr(const struct pb_egress *e, const uint8_t addr[16],
				   bool udp, uint16_t port);
/*
 * What the rules say to a tcp connection for a name that this address has: an effect other
 * than allow is theirs, unless the rule is `network otherwise`.  Never NULL.
 */
const struct pb_piece *egress_reached(const struct pb_egress *e, const uint8_t addr[16],
				      uint16_t port);
/* What the piece grants; never NULL. */
const struct pb_grant *egress_grant(const struct pb_egress *e, const struct pb_piece *p);
/* Does `within` of the grant hold the address? */
bool egress_within(const struct pb_egress *e, const struct pb_grant *g,
		   const uint8_t addr[16]);
/*
 * Does some tcp port of the class lead out of the run: does a rule (or `otherwise`) allow
 * or ask it?  What is allowed because it is the run's own loopback does not count.
 */
bool egress_pool_reaches(const struct pb_egress *e, uint32_t class_);
/* The class's indices of synthetic addresses, or NULL: its names have none. */
const struct pb_pool *egress_pool(const struct pb_egress *e, uint32_t class_);

/* Is it 127.0.0.0/8 (v4-mapped) or ::1? */
bool egress_is_loopback(const uint8_t addr[16]);
/* The index of a synthetic address, or 0: it is none (or the first, which no name gets). */
uint32_t egress_index(const uint8_t addr[16]);

#endif
