/* Which cells of the policy the table of the target nft-host accepts. */
#ifndef COMPILER_EMIT_NFT_HOST_CELLS_H
#define COMPILER_EMIT_NFT_HOST_CELLS_H

#include "compiler/backend/nft/region.h"

/*
 * In the order of the chain.  The guard (addresses that no rule without a host leads to)
 * stands between NAMED and ANY.
 */
enum host_stage {
	HOST_DENIED, /* rejected, by a rule's own words */
	HOST_NAMED,  /* accepted; the guard does not count */
	HOST_ANY,    /* accepted where the guard does not refuse */
	HOST_STAGE_COUNT
};

struct host_block {
	region_addr lo, hi;
	struct region_ports ports;
};

/* The blocks of one statement (or of a scalar), for v4 and v6, tcp and udp. */
struct host_group {
	uint32_t rule;
	VEC(struct host_block) blocks[2][2];
};

struct host_cells {
	struct arena *a;
	const struct ir *ir;
	bool loopback; /* emit_options.loopback */
	size_t n;      /* rules and scalars */
	struct host_group **of[HOST_STAGE_COUNT]; /* by the first rule of the statement */
	/* Ports where some name gets less than any other name: no address can be told from
	   those of that name. */
	bool (*blocked)[UINT16_MAX + 1]; /* tcp, udp */
};

void host_cells(struct host_cells *c, const struct region *r);
/* Does a proxy take the connections out? */
bool host_has_proxy(const struct ir_grant *g);
/* Does the gateway do more with such connections than to let them pass? */
bool host_is_more(const struct ir_grant *g);
/* Is the block one of the loopback and of nothing else? */
bool host_is_loopback(const struct ir_net *n);

#endif
