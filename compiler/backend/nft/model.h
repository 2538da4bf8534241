/*
 * A ruleset of libnftables, read back: what ruleset.c wrote, or what the
 * kernel lists.  It knows the forms that ruleset.c uses and refuses every
 * other, so that what it says a packet meets is what the packet meets.
 */
#ifndef COMPILER_BACKEND_NFT_MODEL_H
#define COMPILER_BACKEND_NFT_MODEL_H

#include "compiler/backend/nft/region.h"

/* Addresses and ports of one element; a set of addresses has all ports. */
struct model_element {
	region_addr lo, hi;
	uint16_t port_lo, port_hi;
};

struct model_set {
	struct str name; /* of a block that stands in a rule: '#' and its number */
	bool v6, pairs, interval;
	VEC(struct model_element) elements; /* ascending once it is read */
};

enum model_verdict { MODEL_ACCEPT, MODEL_RESET, MODEL_PROHIBITED };

struct model_ports {
	uint16_t lo, hi;
};

struct model_rule {
	struct str comment;
	bool replies;        /* established and related: no new connection */
	unsigned family;     /* 4, 6, or 0: both */
	unsigned proto;      /* IR_TCP, IR_UDP */
	const struct model_set *set; /* or NULL: every address */
	VEC(struct model_ports) ports; /* none: every port, or the set's */
	bool log, counter;
	struct str prefix;
	unsigned group;
	uint64_t packets;    /* of the counter, in a listing */
	enum model_verdict verdict;
};

struct model {
	struct str version;  /* of libnftables, in a listing */
	bool has_table, has_chain;
	VEC(struct model_set *) sets; /* by name once it is read */
	VEC(struct model_rule) rules;
};

/* Documents one a line, or one listing.  NULL, or what cannot be read. */
const char *model_read(struct arena *a, struct str text, struct model *ret);
/* The rule that a new connection meets, or -1: the chain drops it. */
int model_ask(const struct model *m, unsigned proto, region_addr addr, uint16_t port);
/* NULL, or the first difference (counts of packets aside). */
const char *model_differs(struct arena *a, const struct model *x, const struct model *y);
/* One line a set and a rule. */
void model_print(FILE *out, const struct model *m);

#endif
