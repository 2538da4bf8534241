/*
 * The decision for every address, protocol and port in a sandbox whose network is
 * on.  The line of addresses is cut into slabs, and each slab has a list of port
 * ranges for tcp and one for udp.  Slabs and pieces have no gaps and no overlaps, so
 * that precedence is settled: everything that is emitted is derived from them.
 * Rules about host names match no address and do not appear here.
 */
#ifndef COMPILER_BACKEND_NFT_REGION_H
#define COMPILER_BACKEND_NFT_REGION_H

#include "compiler/ir/ir.h"

/* An address as a number; v4 as v4-mapped v6. */
typedef unsigned __int128 region_addr;

#define REGION_V4_LO ((region_addr)0xffff << 32)
#define REGION_V4_HI (REGION_V4_LO | 0xffffffffu)

/* Begins at the port after the piece before it; the last piece ends at 65535. */
struct region_piece {
	uint16_t hi, zero; /* no padding: lists are compared by their bytes */
	enum ir_effect effect;
	uint32_t rule; /* record in the rule table: of a rule or of a scalar */
};

struct region_list {
	struct region_piece *v;
	size_t n;
};

/* Reaches from `lo` to the next slab; no slab crosses a bound of the v4 addresses. */
struct region_slab {
	region_addr lo;
	uint32_t list[2]; /* 0 tcp, 1 udp */
};

struct region {
	VEC(struct region_slab) slabs;
	VEC(struct region_list) lists; /* without duplicates */
};

/* False if the rules overlap so often that the work exceeds its budget. */
bool region_make(const struct ir *ir, struct arena *a, struct region *ret);

/* The last address of slab `i`. */
region_addr region_end(const struct region *r, size_t i);
region_addr region_of(const uint8_t addr[16]);
void region_bytes(region_addr a, uint8_t out[16]);
/* The first and the last address of a block. */
region_addr region_first(const struct num_cidr *c);
region_addr region_last(const struct num_cidr *c);

/* The first rule of the statement to which `rule` belongs; a scalar: itself. */
uint32_t region_statement(const struct ir *ir, uint32_t rule);

#endif
