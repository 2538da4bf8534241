/*
 * The sweep over the ports of one subject, which the sweep over the addresses
 * (region_make.c) and that over the names (region_names.c) share.
 */
#ifndef COMPILER_BACKEND_NFT_SWEEP_H
#define COMPILER_BACKEND_NFT_SWEEP_H

#include "compiler/backend/nft/cell.h"

/* A rule during the addresses of its block; for names, only `rule` counts. */
struct sweep_block {
	region_addr lo, hi;
	const struct ir_rule *rule;
};

struct sweep {
	struct cell_maker cells;
	struct map lists; /* of cells.out, keyed by their bytes */
	struct sweep_block *active; /* in the order of the rules' indexes; room for all */
	size_t nactive;
	const struct ir_rule **in, **match; /* room for all rules, `match` twice */
	uint32_t *ports;
	uint64_t left; /* steps left of the budget */
};

/* False if `steps` more exceed the budget. */
bool sweep_pay(struct sweep *s, uint64_t steps);
enum { SWEEP_TCP, SWEEP_UDP, SWEEP_REACHED, SWEEP_LISTS };

/* Makes the lists of a subject from the active rules: for tcp, for udp, and of an address
 * that for a tcp connection that a name has led there (struct region_reached). */
bool sweep_ports(struct sweep *s, const struct cell_subject *at, uint32_t ret[SWEEP_LISTS]);
#endif
