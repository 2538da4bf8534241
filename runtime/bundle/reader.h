/*
 * Opens a bundle once, reads it into private memory, checks everything once, then hands
 * out const views. Nothing here trusts a byte before its digest and its structure are
 * checked.
 */
#ifndef RUNTIME_BUNDLE_READER_H
#define RUNTIME_BUNDLE_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "runtime/base/err.h"
#include "runtime/bundle/changes.h"
#include "runtime/bundle/format.h"
#include "runtime/bundle/sshkey.h"

/* A signature over the manifest. It is verified, but its key may not be trusted. */
struct bundle_signature {
	struct sshkey key;
	const char *path;    /* NUL-terminated */
	const uint8_t *data; /* the armoured text */
	size_t size;
};

struct bundle_member {
	const char *path; /* NUL-terminated */
	const uint8_t *data; /* NULL: was given back (bundle_forget_commands) */
	size_t size;
	uint8_t b2[32];   /* as the manifest gives it */
	bool verified;    /* the digests of `data` were compared: with `run` those of its
	                     blocks, else also the whole one; without blocks.b2 the
	                     whole one */
	size_t block;     /* the number of its first block in blocks.b2 */
};

struct bundle {
	uint8_t *bytes;   /* the whole file; malloc'ed, owned */
	size_t size;
	const uint8_t (*blocks)[32]; /* blocks.b2, verified; NULL in the first format */
	bool run;         /* without ir.json and the sources, which no run needs */
	struct bundle_member *members; /* in file order, manifest.json excluded; for a
	                                  run only those that it needs */
	size_t nmembers;
	const uint8_t *manifest; /* the canonical bytes */
	size_t manifest_size;
	char digest[65];  /* hex BLAKE2b-256 of the manifest */
	struct bundle_signature *signatures; /* in file order; owned */
	size_t nsignatures;
	char name[128];
	uint64_t serial;
	char previous[65];  /* hex SHA-256 of the preceding manifest, or
	                       "" */
	uint32_t levels;    /* bits 1 << enum pb_level, one for each level of a source */
	uint32_t threshold; /* number of signatures that the manifest requires: 0 or 1 */
	/* Seconds since 1970; INT64_MIN: not given. See bundle_check_time(). */
	int64_t created, not_before, not_after;
	struct changes *changes; /* owned; NULL: it has no change statement */
	/* Checked views; every offset and count in them has been verified. */
	const struct pb_rules *rules;
	const struct pb_matcher *matcher;
	const struct line_facts *commands;
	const struct pb_egress *egress; /* NULL if the network is disabled */
	const struct pb_landlock *landlock;
	const struct pb_mounts *mounts;
	const struct pb_limits *limits;
	const struct pb_env *env;
	const struct pb_publish *publish; /* NULL: the policy says nothing of it */
};

/*
 * Opens PATH with O_NOFOLLOW and checks owner (root or the caller), mode (nobody else may
 * write it: runtime/base/writers.h) and type on the descriptor. Each is refused with its own message. Then
 * calls bundle_parse(). 0 or -errno.
 */
int bundle_open(const char *path, struct bundle *ret, struct rt_err *err);
/*
 * Like bundle_open(), for a run, which needs neither ir.json nor the sources, the last
 * members: nothing of them is read, they must only have room in the file, and
 * bundle_member() does not find them.
 */
int bundle_open_run(const char *path, struct bundle *ret, struct rt_err *err);
/* Takes over `bytes` (malloc'ed), also on failure. */
int bundle_parse(uint8_t *bytes, size_t size, struct bundle *ret, struct rt_err *err);
/*
 * The same two with a gate, for trust.c. The gate is called after the signatures are
 * verified and before the manifest is parsed, so only the manifest's bytes and the
 * signatures are set. If the gate returns -errno, the bundle is refused.
 */
int bundle_open_gated(const char *path, bool run,
		      int (*gate)(void *ctx, const struct bundle *b, struct rt_err *err),
		      void *ctx, struct bundle *ret, struct rt_err *err);
int bundle_parse_gated(uint8_t *bytes, size_t size, bool run,
		       int (*gate)(void *ctx, const struct bundle *b,
				   struct rt_err *err),
		       void *ctx, struct bundle *ret, struct rt_err *err);
void bundle_release(struct bundle *b);
/*
 * To be called when no more commands will be decided: gives the pages of commands.bin
 * back to the kernel and sets b->commands to NULL. Nothing that comes later reads them.
 */
void bundle_forget_commands(struct bundle *b);
/*
 * Refuses a bundle before its first day, after its last day, and one that was made more
 * than a day in the future. `now` in seconds since 1970.
 */
int bundle_check_time(const struct bundle *b, int64_t now, struct rt_err *err);

/* A member, or NULL. Its digest is verified at the first call. */
const struct bundle_member *bundle_member(struct bundle *b, const char *path);
/* A filter and its map, with their structure checked (every pc is inside, is a RET, and
 * its verdict belongs to this kind). */
int bundle_filter(struct bundle *b, enum pb_filter_kind kind, const void **ret_insns,
		  size_t *ret_count, const struct pb_map **ret_map, struct rt_err *err);

/* The network's mode: enum pb_net_mode. */
static inline unsigned bundle_net_mode(const struct bundle *b);
/*
 * The netlink messages of a limited network, with their structure checked, and the
 * documents that say the same. NULL with size 0 if the bundle has none.
 */
int bundle_nft(struct bundle *b, const void **ret_batch, size_t *ret_size,
	       const void **ret_json, size_t *ret_json_size, struct rt_err *err);

/*
 * For records sorted by the uint32_t that lies `key` bytes into each: the first record in
 * which this number is `least` or more; t.count if there is none.
 */
static inline uint32_t pb_first(const void *member, struct pb_table t, size_t size,
				size_t key, uint32_t least)
{
	uint32_t lo = 0, hi = t.count, at;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		memcpy(&at, (const uint8_t *)pb_at(member, t, size, mid) + key, sizeof(at));
		if (at < least)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static inline const struct pb_rule *bundle_rule(const struct bundle *b, uint32_t i)
{
	return i < b->rules->rules.count ?
	       (const struct pb_rule *)pb_at(b->rules, b->rules->rules,
					     sizeof(struct pb_rule), i) : NULL;
}

/* Is it a rule of the floor, which no policy lifts? */
static inline bool bundle_is_floor(const struct bundle *b, uint32_t rule)
{
	const struct pb_rule *r = bundle_rule(b, rule);

	return r && (r->flags & PB_F_FLOOR);
}

/* The limit of this kind, of which there is at most one; NULL: none. */
static inline const struct pb_limit *bundle_limit(const struct bundle *b, unsigned kind)
{
	for (uint32_t i = 0; b->limits && i < b->limits->limits.count; i++) {
		const struct pb_limit *p = pb_at(b->limits, b->limits->limits, sizeof(*p), i);

		if (p->kind == kind)
			return p;
	}
	return NULL;
}

static inline unsigned bundle_net_mode(const struct bundle *b)
{
	const struct pb_rule *r =
		bundle_rule(b, b->rules->scalar_first + (uint32_t)PB_S_NET_MODE);

	return r ? (unsigned)r->value : PB_NET_DISABLED;
}

/*
 * Does the run need a network namespace of its own with the table of nft.json?  So it does
 * in the mode `limited`, and in `full` where something is not simply allowed.
 */
static inline bool bundle_net_gate(const struct bundle *b)
{
	return b->egress && (b->egress->gate & PB_GATE_NEEDED);
}

/* And can something outside of that namespace be reached, through the gateway? */
static inline bool bundle_net_gateway(const struct bundle *b)
{
	return b->egress && (b->egress->gate & PB_GATE_REACHES);
}

#endif
