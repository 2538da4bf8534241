/*
 * The decision for every address or host name, protocol and port in a sandbox whose
 * network is on.  The line of addresses is cut into slabs, and each slab has a list of
 * port ranges for tcp and one for udp.  So has each class of names.  The line is cut once
 * more for the addresses to which names lead.  Slabs and pieces have no gaps and no overlaps, so that precedence is settled: everything that is emitted
 * is derived from them.
 */
#ifndef COMPILER_BACKEND_NFT_REGION_H
#define COMPILER_BACKEND_NFT_REGION_H

#include "compiler/ir/ir.h"
#include "runtime/bundle/format.h"

/* An address as a number; v4 as v4-mapped v6. */
typedef unsigned __int128 region_addr;

#define REGION_V4_LO ((region_addr)0xffff << 32)
#define REGION_V4_HI (REGION_V4_LO | 0xffffffffu)
/* The run's own loopback: 127.0.0.0/8 and ::1. */
#define REGION_LOOP4_LO (REGION_V4_LO | 0x7f000000u)
#define REGION_LOOP4_HI (REGION_V4_LO | 0x7fffffffu)
#define REGION_LOOP6 ((region_addr)1)
/* The first synthetic v6 address: fd70:6f6c:: (PB_POOL_V6). */
#define REGION_POOL6 ((region_addr)0xfd706f6cu << 96)

/* The rule of a piece that is of several statements (coarse.h). */
#define REGION_MANY UINT32_MAX

/* Begins at the port after the piece before it; the last piece ends at 65535. */
struct region_piece {
	uint16_t hi; /* no padding: lists are compared by their bytes */
	uint16_t free; /* as in struct pb_piece */
	enum ir_effect effect;
	uint32_t rule;  /* record in the rule table: of a rule or of a scalar */
	uint32_t grant; /* index into `grants` */
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

/* What the rules say to a tcp connection for a name, as struct pb_pair has it. */
struct region_reached {
	region_addr lo;
	uint32_t list;
};

struct region_range {
	region_addr lo, hi;
};

struct region_grant {
	struct ir_grant more;
	/* whose limits these are: the first rule of the statement, as struct pb_grant says */
	uint32_t bytes_rule, connections_rule;
	VEC(struct region_range) within; /* ascending; they neither overlap nor touch */
};

/* A name that a rule or an exception mentions, or "localhost". */
struct region_host {
	struct str name;
	bool below;
	uint32_t class_;
};

struct region_class {
	uint32_t list[2]; /* 0 tcp, 1 udp */
	uint32_t pool;    /* or PB_NO_POOL */
	bool is_local;    /* that of "localhost": never a pool */
};

struct region_ports {
	uint16_t lo, hi;
};

/* The ports of tcp that lead out for some name of the pool. */
struct region_pool {
	uint32_t first, count; /* as in struct pb_pool */
	struct region_ports *ports; /* ascending, not touching */
	size_t nports;
};

struct region {
	VEC(struct region_slab) slabs;
	VEC(struct region_reached) reached; /* at the bounds of v4 as well */
	VEC(struct region_list) lists; /* without duplicates */
	VEC(struct region_host) hosts; /* in the order of struct pb_host */
	VEC(struct region_class) classes;
	VEC(struct region_pool) pools;
	VEC(struct region_grant) grants; /* without duplicates; the first is plain */
	uint32_t other_class;
};

/* Is it a rule of the network that counts in a sandbox? */
static inline bool region_is_rule(const struct ir_rule *r)
{
	return r->kind == IR_NET && (r->scopes & IR_SANDBOX);
}

static inline bool region_is_name(const struct ir_net *n)
{
	return n->host == IR_HOST_NAME || n->host == IR_HOST_BELOW;
}

bool region_is_loopback(region_addr a);
/* Here the family changes, or the run's own loopback begins or ends. */
bool region_is_fixed_bound(region_addr a);
/* What the section says where no rule decides, and which scalar says it. */
enum ir_effect region_otherwise(const struct ir *ir, enum ir_scalar_id *ret_scalar);

/*
 * Must the run have a namespace of its own, with the table and the gateway?  So it is in
 * the mode `limited`, and in `full` where something is not simply allowed.
 */
bool region_needs_gate(const struct ir *ir, const struct region *r);
/* Does a rule deny publishing?  Such a run gets a network namespace of its own, since a program in the host's
 * network can listen at any port. */
bool region_denies_publishing(const struct ir *ir);
/* Can something outside of the run be reached? */
bool region_reaches(const struct region *r);

/* The last address of slab `i`. */
region_addr region_end(const struct region *r, size_t i);
region_addr region_of(const uint8_t addr[16]);
void region_bytes(region_addr a, uint8_t out[16]);
/* The first and the last address of a block. */
region_addr region_first(const struct num_cidr *c);
region_addr region_last(const struct num_cidr *c);

/*
 * The addresses that a rule about the block names, so that the guard lets them pass
 * (guard_is_named()): the next range of them from *from on, which starts as the first address of
 * the block.  False: no more.
 */
bool region_next_named(const struct num_cidr *c, region_addr *from, struct region_range *ret);

/* Neighbours: are both rules of one statement of the policy? */
bool region_same_statement(const struct ir *ir, uint32_t x, uint32_t y);
/* The first rule of the statement to which `rule` belongs; a scalar: itself. */
uint32_t region_statement(const struct ir *ir, uint32_t rule);

#endif
