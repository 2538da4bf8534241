/*
 * What the policy says to a connection: the original destination becomes a name and a
 * decision, and the addresses of that name become those that may be dialled.  Pure.
 */
#ifndef RUNTIME_EGRESS_REACH_H
#define RUNTIME_EGRESS_REACH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/bundle/format.h"
#include "runtime/egress/gate.h"
#include "runtime/base/address_guard.h"
#include "runtime/egress/names.h"

struct reach_policy {
	const struct pb_egress *egress;
	const struct names *names;
	const struct guard *guard;
	uint32_t otherwise_rule; /* number of the scalar `network otherwise` */
};

struct reach {
	enum pb_effect effect; /* ALLOW, ASK or DENY */
	enum gate_why why;     /* of DENY */
	uint32_t rule;         /* UINT32_MAX: none */
	const char *name;      /* lower case; NULL: the destination is an address */
	bool loopback;         /* the name is localhost: 127.0.0.1 and ::1 of the host */
	const struct pb_grant *grant; /* never NULL */
};

/* Decides on the address and port that the command used (v4 as v4-mapped). */
void reach_decide(const struct reach_policy *p, const uint8_t addr[16], uint16_t port,
		  struct reach *ret);

/* Whether an address, of a name or of its own, may be dialled for this connection. */
struct reach_address {
	enum pb_effect effect; /* ASK: a rule about the address asks */
	enum gate_why why;     /* of DENY: GATE_W_RULE or GATE_W_GUARD */
	uint32_t rule;         /* that decided, or the connection's own */
	enum guard_kind kind;  /* of GATE_W_GUARD */
};

void reach_address(const struct reach_policy *p, const struct reach *r,
		   const uint8_t addr[16], uint16_t port, struct reach_address *ret);

#endif
