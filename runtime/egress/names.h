/*
 * The names of a run and the synthetic addresses that stand for them.  A name gets its
 * address when DNS is first asked for it; the address stands for that name until the
 * run ends, and is never given to another one.
 *
 * Each pool of egress.bin has room for only so many names.  Every exact name of a rule
 * has its place reserved, and every wildcard has its own share of the rest: labels that
 * a command makes up below one wildcard do not take the places of other names.
 */
#ifndef RUNTIME_EGRESS_NAMES_H
#define RUNTIME_EGRESS_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/bundle/format.h"
#include "runtime/egress/name.h"

#define NAMES_ADDRESSES PB_POOL_SIZE

struct names_entry {
	char *name;       /* NULL: not given out; else lower case, no last dot */
	uint32_t class_;  /* of egress.bin */
	uint32_t next;    /* in its bucket; 0: the last */
};

struct names_share;

struct names {
	const struct pb_egress *egress;
	struct names_entry *entries; /* by index; 0 is never given out */
	uint32_t *buckets;           /* NAMES_ADDRESSES of them: indices, or 0 */
	struct names_share *shares;  /* one for each entry of hosts, one for all others */
	uint32_t *next;              /* by pool: the first index that may be free */
	uint64_t key[2];             /* of the hash: the command chooses names */
	uint32_t count;
};

/* Returns 0 or -errno; names_release() in either case. */
int names_init(struct names *n, const struct pb_egress *egress);
void names_release(struct names *n);

/*
 * The index of the name (lower case, no last dot), which gets one if it has none. 0 if no
 * rule lets it be reached (its class has no pool). -ENOSPC: its share of the pool is used up,
 * -ENOMEM.
 */
int names_give(struct names *n, const char *name, size_t len, uint32_t *ret_index);
/* The entry, or NULL if the index stands for no name. */
const struct names_entry *names_at(const struct names *n, uint32_t index);

void names_v4(uint32_t index, uint8_t ret[4]);
void names_v6(uint32_t index, uint8_t ret[16]);
/* Is it an address of the pools (v4 is v4-mapped), whether a name has it or not?
 * egress_index() says which one. */
bool names_is_pool(const uint8_t addr[16]);

#endif
