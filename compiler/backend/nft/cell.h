/*
 * The decision in one cell: for one subject (an address, or a class of names), protocol
 * and port, from the few rules that match there.
 */
#ifndef COMPILER_BACKEND_NFT_CELL_H
#define COMPILER_BACKEND_NFT_CELL_H

#include "compiler/backend/nft/region.h"
#include "compiler/base/map.h"

/* What a list of ports is for. */
enum cell_kind {
	CELL_ADDR,  /* an address */
	CELL_NAME,  /* exactly `name` */
	CELL_BELOW, /* a name below `name` that no other entry of the rules covers */
	CELL_OTHER  /* a name that no entry covers */
};

struct cell_subject {
	enum cell_kind kind;
	region_addr addr;
	struct str name;
	bool loopback; /* the run's own: free where only `otherwise` would decide */
	bool reached;  /* CELL_ADDR: a name that is allowed leads there, so that a soft ask
	                 asks, and the name's decision grants */
};

/* Rules that match in one cell, in the IR's order. */
struct cell_matched {
	const struct ir_rule **v;
	size_t n;
};

struct cell {
	enum ir_effect effect;
	uint32_t rule;
	bool free;
	uint32_t grant;
};

struct cell_maker {
	const struct ir *ir;
	struct arena *a;
	struct region *out; /* its grants grow */
	struct map grants;  /* of `out`, keyed by their bytes */
};

/* Semantics 3.1 for the rules that match in one cell. */
struct cell cell_decide(struct cell_maker *s, const struct cell_subject *at,
			const struct cell_matched *m);
/* Does the host of a rule or an exception cover the subject? */
bool cell_covers(const struct ir_net *n, const struct cell_subject *at);

#endif
