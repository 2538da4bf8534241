/*
 * A ruleset of libnftables, read back: what ruleset.c wrote, or what the kernel
 * lists.  The reader knows only the forms that ruleset.c uses and refuses every
 * other form, so its answer for a packet is the kernel's answer.
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
	struct str name; /* for a block that stands in a rule: '#' and its number */
	bool v6, pairs, interval;
	VEC(struct model_element) elements; /* ascending after reading */
};

enum model_verdict { MODEL_ACCEPT, MODEL_RESET, MODEL_PROHIBITED, MODEL_REDIRECT };

struct model_ports {
	uint16_t lo, hi;
};

struct model_rule {
	struct str comment;
	bool nat;            /* of the chain `nat`; else of the chain that drops */
	bool replies;        /* established and related packets: no new connection */
	unsigned family;     /* 4, 6, or 0 for both */
	unsigned proto;      /* IR_TCP, IR_UDP */
	const struct model_set *set; /* or NULL: every address */
	bool outside;        /* the addresses that `set` does not hold */
	VEC(struct model_ports) ports; /* empty: every port, or the ports of the set */
	bool log, counter;
	struct str prefix;
	unsigned group;
	uint64_t packets;    /* value of the counter, in a listing */
	enum model_verdict verdict;
	uint16_t to;         /* REDIRECT: the port */
};

struct model {
	struct str version;  /* of libnftables, in a listing */
	bool has_table, has_chain, has_nat;
	VEC(struct model_set *) sets; /* sorted by name after reading */
	VEC(struct model_rule) rules;
};

/* Reads documents, one a line, or one listing.  NULL, or what cannot be read. */
const char *model_read(struct arena *a, struct str text, struct model *ret);
/* The rule that a new connection meets, or -1: the chain drops the connection. */
int model_ask(const struct model *m, unsigned proto, region_addr addr, uint16_t port);
/* The port on the loopback to which a new connection is redirected; 0: it is not. */
uint16_t model_redirect(const struct model *m, unsigned proto, region_addr addr,
			uint16_t port);
/* Does the rule count, and does a denial go to the log under the rule's comment? */
bool model_records(const struct model_rule *r);
/* NULL, or the first difference; counts of packets are not compared. */
const char *model_differs(struct arena *a, const struct model *x, const struct model *y);
/* Prints one line for each set and each rule. */
void model_print(FILE *out, const struct model *m);

#endif
