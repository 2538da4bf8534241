/*
 * The whole contract between compiler and runtime: the members of a bundle.
 * Little-endian, fixed width, 8-byte aligned records, offsets relative to the member's
 * first byte. Strings are stored in a pool at the member's end, as {offset, length}
 * pairs; they hold no NUL. doc/bundle-format.md describes the same for people.
 */
#ifndef RUNTIME_BUNDLE_FORMAT_H
#define RUNTIME_BUNDLE_FORMAT_H

#include <stdint.h>

#include "runtime/base/record.h"
#include "runtime/bundle/format_matcher.h"
#include "runtime/line/facts.h"

/*
 * The version of the archive, which the manifest states. Bundles of the first one have no
 * blocks.b2; each of their members has one digest, that of the manifest.
 */
#define PB_BUNDLE_FORMAT 2u
#define PB_BUNDLE_FORMAT_FIRST 1u

#define PB_MAX_BUNDLE (64u * 1024 * 1024)
#define PB_MAX_MEMBERS 4096u
#define PB_MAX_RULES 65536u
#define PB_MAX_MOUNTS 256u
#define PB_MAX_PLACE 1024u /* bytes of a mount's place */
#define PB_MAX_SIGNATURES 16u

#define PB_MANIFEST "manifest.json"
#define PB_MANIFEST_B2 "manifest.b2"
/* A signature is signatures/NAME.sshsig, with NAME as sshkey_name() makes it: the path
 * between these two. */
#define PB_SIGNATURES "signatures/"
#define PB_SIGNATURE_END ".sshsig"
/*
 * The digests of the blocks (blocks.h) of all members that follow and that a run may read,
 * 32 bytes each, in the order of the archive.
 */
#define PB_BLOCKS "blocks.b2"
#define PB_RULES "rules.bin"
#define PB_MATCHER "matcher.bin"
#define PB_COMMANDS "commands.bin"
#define PB_SECCOMP_ENFORCE "seccomp/x86_64.enforce.bpf"
#define PB_SECCOMP_BROKER "seccomp/x86_64.broker.bpf"
#define PB_SECCOMP_TRACE "seccomp/x86_64.trace.bpf"
#define PB_SECCOMP_ENFORCE_MAP "seccomp/x86_64.enforce.map"
#define PB_SECCOMP_BROKER_MAP "seccomp/x86_64.broker.map"
#define PB_SECCOMP_TRACE_MAP "seccomp/x86_64.trace.map"
#define PB_NFT_JSON "nft.json"
#define PB_NFT_BATCH "nft.batch"
#define PB_EGRESS "egress.bin"
#define PB_LANDLOCK "landlock.bin"
#define PB_MOUNTS "mounts.bin"
#define PB_LIMITS "limits.bin"
#define PB_ENV "env.bin"
#define PB_PUBLISH "publish.bin"
#define PB_SETTINGS "settings.json"
#define PB_IR "ir.json"

#define PB_MAGIC_RULES   0x4c555250u /* "PRUL" */
#define PB_MAGIC_MATCHER 0x54414d50u /* "PMAT" */
#define PB_MAGIC_MAP     0x50414d50u /* "PMAP" */
#define PB_MAGIC_EGRESS  0x35474550u /* "PEG5" */
#define PB_MAGIC_LANDLOCK 0x444e4c50u /* "PLND" */
#define PB_MAGIC_MOUNTS  0x544e4d50u /* "PMNT" */
#define PB_MAGIC_LIMITS  0x4d494c50u /* "PLIM" */
#define PB_MAGIC_ENV     0x564e4550u /* "PENV" */
#define PB_MAGIC_PUBLISH 0x42555050u /* "PPUB" */

/* --- rules.bin ------------------------------------------------------------ */

enum pb_kind { PB_COMMAND, PB_FILE, PB_NET, PB_UNIX, PB_SYSCALL, PB_TOOL,
	       PB_SCALAR, /* a scalar: decisions name it like a rule */
	       PB_RISK,   /* a risk fact; `effect` is the class 0..3 */
	       PB_KIND_COUNT };
enum pb_effect { PB_ALLOW, PB_ASK, PB_DENY, PB_HIDE, PB_EFFECT_COUNT };
enum pb_level { PB_MANAGED = 1, PB_MANAGED_FILE, PB_PROJECT, PB_USER, PB_DEFAULT };
enum pb_op { PB_READ = 1, PB_WRITE = 2, PB_EXEC = 4 };
enum pb_scope { PB_SANDBOX = 1, PB_HOST = 2 };
enum pb_root { PB_ROOT_FS, PB_ROOT_HOME, PB_ROOT_PROJECT, PB_ROOT_SESSION,
	       PB_ROOT_TMP,
	       PB_ROOT_AGENT, /* of unix rules: the socket that SSH_AUTH_SOCK names */
	       PB_ROOT_GIT,   /* the repository of a worktree or submodule (git_common.h) */
	       PB_ROOT_COUNT };

enum pb_rule_flag {
	PB_F_FINAL = 1, PB_F_FLOOR = 2, PB_F_SCRATCH = 4, PB_F_SOFT = 8,
	PB_F_ANSWER = 16, /* an ask that only a person answers */
	PB_F_HOST = 32   /* an allow without wildcards: what it matches belongs to the
	                    host, and scratch rules do not apply to it */
};

/* How exactly the whole rule is enforced (by the weakest of its layers), for --plan. */
enum pb_exactness { PB_X_NONE, PB_X_EXACT, PB_X_OVER, PB_X_UNDER,
		    PB_X_ENTRY_ONLY, PB_X_ADVISORY };

/*
 * The rule table. A rule's number is its index, and all other members use that number.
 * First come the IR's rules in the IR's order, then one record for each scalar
 * (SCALAR_FIRST + enum ir_scalar_id), then the risk facts.
 */
struct pb_rule {
	struct pb_str id, file, text, reason, note; /* note: the exactness in words */
	uint32_t line, col;
	uint8_t kind, effect, level, flags;
	uint8_t scopes;   /* enum pb_scope bits */
	uint8_t ops;      /* files: one pb_op bit, or all for hide */
	uint16_t err;     /* syscall deny: the errno */
	uint8_t exactness;/* enum pb_exactness */
	uint8_t by_risk;  /* scalars of type otherwise: 1 if the effects below count */
	uint8_t effects[4]; /* by risk class */
	uint8_t zero[2];
	uint32_t lifted_off, lifted_count; /* u32 rule numbers in the pool `lifted` */
	uint64_t value;   /* scalars: the number (a limit or a mode) */
};

/* The scalars that decisions read, as number - scalar_first. */
enum pb_scalar {
	PB_S_COMMAND_OTHERWISE = 1, PB_S_COMMAND_OPAQUE, PB_S_FILE_READ,
	PB_S_FILE_WRITE, PB_S_FILE_EXEC, PB_S_NET_MODE, PB_S_NET_OTHERWISE,
	PB_S_UNIX_OTHERWISE, PB_S_SYSCALL_OTHERWISE, PB_S_TOOL_OTHERWISE,
	PB_S_ASK_ANSWER = 22, /* permissions.mode: what happens with an ask */
	/* the first two in scope sandbox, if `scopes` of the record is PB_SANDBOX; else the same
	   holds in both scopes */
	PB_S_SANDBOX_OTHERWISE = 24, PB_S_SANDBOX_OPAQUE
};

enum pb_net_mode { PB_NET_DISABLED, PB_NET_LIMITED, PB_NET_FULL };

struct pb_rules {
	struct pb_head head;
	struct pb_table rules;  /* struct pb_rule */
	struct pb_table lifted; /* uint32_t; lifted_off counts records */
	uint32_t ir_rules;      /* how many of them are the IR's rules */
	uint32_t scalar_first;  /* number of the first scalar record */
	uint32_t scalar_count;
	uint32_t risk_first, risk_count;
	uint32_t locked[6];     /* by kind: level of the lock; 0: none */
	uint32_t carried;       /* number of values in settings.json on which this
	                           version's programs do not act */
	struct pb_str policy;   /* the policy's name */
	struct pb_str role;     /* the chosen role, or empty */
};

/* --- seccomp/<arch>.{enforce,broker,trace}.{bpf,map} -------------------------- */

/* What a run loads: one of these.  They deny the same calls by the same rules. */
enum pb_filter_kind {
	PB_FILTER_ENFORCE, /* notifies what is denied */
	PB_FILTER_BROKER,  /* and what broker_calls.def names, where it would write */
	PB_FILTER_TRACE,   /* and all that takes a path or an address, with
			      --explain-denials */
	PB_FILTER_COUNT
};

/* .bpf: an array of struct sock_filter (8 bytes each), nothing else. */

enum pb_verdict {
	PB_V_DENY = 1,  /* returns USER_NOTIF; the errno is in err. Without a listener
			   polrun rewrites it to ERRNO before loading */
	PB_V_TRACE = 2, /* returns USER_NOTIF, answered CONTINUE after a look */
	PB_V_KILL = 3,  /* architecture checks */
	PB_V_BROKER = 4 /* returns USER_NOTIF: the broker makes the call.  Without a
			   listener no such filter is loaded */
};

struct pb_map_entry {
	uint32_t pc;    /* the BPF_RET instruction */
	uint8_t verdict;
	uint8_t zero;
	uint16_t err;
	uint32_t rule; /* UINT32_MAX: none (KILL, TRACE, BROKER) */
	uint32_t zero2;
};

struct pb_map {
	struct pb_head head;
	struct pb_table entries; /* by pc, ascending */
};

/* --- nft.json, nft.batch, egress.bin: the network of the mode `limited` --------- */

/*
 * nft.json: documents of libnftables, one per line, each one transaction. The first one
 * creates the table, and the chain that drops. nft.batch: the netlink messages that
 * libnftables sends for them, one transaction after the other
 * (runtime/bundle/nft_batch.h).
 */
#define PB_NFT_TABLE "pol"
#define PB_NFT_CHAIN "out"
#define PB_NFT_PRIO (-150) /* before NAT: it sees the addresses that the command used */
#define PB_NFT_NAT "nat"
#define PB_NFT_NAT_PRIO (-100)
/* Where the gateway listens inside of the run: runtime/egress/gate.h has the same. */
#define PB_NFT_GATE_PORT 1u
#define PB_NFT_DNS_PORT 53u
/* Comment and log prefix of the rules about synthetic addresses: the name says more. */
#define PB_NFT_POOL "(pool)"
#define PB_NFT_GROUP 42u /* NFLOG: denials, with the rule's id as prefix */
/* No transaction is longer. (The kernel's default for a socket is 212,992.) */
#define PB_NFT_TRANSACTION (200u * 1024)

/*
 * egress.bin: what the network's rules say, with precedence settled.  It has two halves.
 * Addresses: the decision for every (address, protocol, port), without gaps.  The ranges
 * of all v6 and of all v4 addresses are cut into slabs.  Each slab names the lists of port
 * ranges that decide there, one for tcp and one for udp, and a third: what the rules say to a
 * tcp connection that a name has led there (struct pb_pair).  No list and no pair is there twice, and rules
 * of one statement of the policy go by the number of the first, so that ten thousand blocks
 * take eight bytes each: every start reads them.
 * Names: each name that a rule or an exception mentions has a class, with two such
 * lists; one more class is that of every other name.  Look-up: the exact name, else the
 * longest name of which it is below, else `other_class`.
 */
struct pb_slab {
	uint8_t lo[16];     /* a slab ends where the next one begins; the last ends at the
	                       last address.  v4-mapped addresses are v4 addresses. */
	uint32_t pair, zero;
};

struct pb_slab4 {
	uint32_t lo, pair; /* the address as a number */
};

/*
 * What `reached` denies or asks, but for `network otherwise`, a rule says about the address of
 * a name.  A rule that names no host has no part in it: it was heard about the name, with its
 * exceptions, and about an address it only speaks to who connects to that address itself.  A
 * soft ask has: the connection is allowed.
 */
struct pb_pair {
	uint32_t tcp, udp, reached; /* numbers of lists */
	uint32_t zero;
};

struct pb_ports {
	uint32_t first, count; /* pieces; the lists are stored one after the other */
};

struct pb_piece {
	uint16_t hi;    /* begins after the piece before it; the last ends at 65535 */
	uint8_t effect;
	uint8_t free;   /* 1: allowed (or asked by a soft rule) because it is the run's own
	                   loopback; for what runs on the host `network otherwise` decides */
	uint32_t rule;  /* number of a rule or a scalar */
	uint32_t grant; /* number of a grant; 0: the plain one */
	uint32_t zero;
};

#define PB_NO_POOL UINT32_MAX

struct pb_class {
	uint32_t tcp, udp; /* numbers of lists */
	uint32_t pool;     /* number, or PB_NO_POOL: no rule allows or asks a tcp port (or
	                      it is "localhost", whose addresses are 127.0.0.1 and ::1) */
	uint32_t zero;
};

/* Sorted by the bytes of the name (memcmp, then the length), then by `below`. */
struct pb_host {
	struct pb_str name; /* lower case, without a dot at the end */
	uint32_t below;     /* 1: every name below this one, 0: this one itself */
	uint32_t class_;
};

/*
 * Inside of a run, a synthetic address stands for a name.  Index i, below
 * PB_POOL_SIZE, is the v4 address PB_POOL_V4 + i and the v6 address PB_POOL_V6 + i, whose
 * last 32 bits are a number as well.  Index 0 is never given out.
 */
#define PB_POOL_V4 0xc6120000u /* 198.18.0.0/15 */
#define PB_POOL_V6 { 0xfd, 0x70, 0x6f, 0x6c } /* fd70:6f6c::/96; the other bytes are 0 */
#define PB_POOL_SIZE 131072u
#define PB_MAX_POOLS 64u

/* The indices that the names of some classes get; pools ascend and do not overlap. */
struct pb_pool {
	uint32_t first, count;
};

/* Addresses to which a name may lead although the guard refuses them (`within`). */
struct pb_range {
	uint8_t lo[16], hi[16];
};

enum pb_peek { PB_PEEK_PORT, PB_PEEK_NONE, PB_PEEK_TLS, PB_PEEK_HTTP, PB_PEEK_COUNT };

/* What an allowed or asked connection gets beyond the permission.  Grant 0 is plain:
 * empty strings, no range, no limit, PB_PEEK_PORT. */
struct pb_grant {
	struct pb_str via, via_secret;        /* the upstream proxy; where its secret is */
	struct pb_str header, prefix, secret; /* inject */
	uint32_t within_first, within_count;  /* ranges */
	uint64_t bytes;       /* both ways together, for each run; 0: no limit */
	uint32_t connections; /* for each run; 0: no limit */
	uint8_t peek, zero; /* enum pb_peek */
	uint16_t dial; /* inject: the port outside; 0: 443 for port 80, else the same */
	/* The number of the rule whose limit each is: it counts wherever the statement does, for
	   all its hosts and ports together.  0 without a limit. */
	uint32_t bytes_rule, connections_rule;
};

enum pb_gate {
	PB_GATE_NEEDED = 1, /* the run needs a namespace of its own, the table and the
	                       gateway: always in the mode `limited`; in `full` where
	                       something is not simply allowed */
	PB_GATE_REACHES = 2 /* and something outside of it can be reached: a name has a
	                       pool, or a rule lets tcp to an address that is no loopback */
};

struct pb_egress {
	struct pb_head head;
	struct pb_table slabs;   /* struct pb_slab; the first begins at :: */
	struct pb_table slabs4;  /* struct pb_slab4; the first begins at 0.0.0.0 */
	struct pb_table pairs;   /* struct pb_pair */
	struct pb_table lists;   /* struct pb_ports */
	struct pb_table pieces;  /* struct pb_piece */
	struct pb_table hosts;   /* struct pb_host */
	struct pb_table classes; /* struct pb_class; at least one */
	struct pb_table pools;   /* struct pb_pool */
	struct pb_table ranges;  /* struct pb_range */
	struct pb_table grants;  /* struct pb_grant; at least one */
	uint32_t other_class;
	uint32_t hold_ms; /* how long an ask may hold a connection */
	uint32_t guard;   /* 1: the mode `limited`; 0: `full` */
	uint32_t gate;    /* enum pb_gate bits */
};

/* --- mounts.bin: where the view may change ------------------------------------- */

enum pb_anchor_kind {
	PB_A_PATH,   /* a literal path: it is the anchor of the rule's whole set */
	PB_A_WILD,   /* a deny of writing with a wildcard: `path` is the deepest literal
	                directory that holds all its names */
	PB_A_ANY     /* a deny of writing at any depth: no path */
};

enum pb_anchor_flag {
	PB_AF_BELOW = 1,   /* covers everything below */
	PB_AF_SCRATCH = 2, /* a scratch tree */
	PB_AF_FLOOR = 4,
	PB_AF_SOCKET = 8 /* of a unix rule: the name of a socket file; `ops` is 0 */
};

/*
 * There is one anchor for each literal file pattern (and for each deny of writing with a
 * wildcard). polrun resolves the roots and calls decide_file() for the three operations
 * at each anchor. The view changes where the answer differs from that of the nearest
 * anchor above. So the view and the decisions have the same source.
 */
struct pb_anchor {
	uint8_t kind, root, ops, effect;
	uint8_t flags, zero[3];
	uint32_t rule;
	struct pb_str path; /* the rest under the root, "" or beginning with '/' */
	uint32_t zero2;
};

/*
 * A tree of the host (named by the rule) that has a second name inside, `place`.
 * Anchors and automata know only its own name.
 */
struct pb_mount {
	uint8_t root, zero[3];
	uint32_t rule;       /* an allow rule of files */
	struct pb_str path;  /* the tree: the rest of its path under the root */
	struct pb_str place; /* absolute; sorted by place; no place lies in another */
};

struct pb_mounts {
	struct pb_head head;
	struct pb_table anchors;
	struct pb_table mounts; /* struct pb_mount */
	uint64_t disk; /* total bytes of scratch trees; 0: unlimited */
	uint32_t disk_rule;
	uint32_t zero;
};

/* --- landlock.bin: what each operation means at each ABI -------------------------- */

struct pb_landlock_abi {
	uint32_t abi; /* 1.. */
	uint32_t zero;
	uint64_t handled_fs, handled_net, scoped;
	/* the access rights that an operation needs on a directory and on a file */
	uint64_t read_dir, read_file, write_dir, write_file, exec_dir, exec_file;
};

struct pb_landlock {
	struct pb_head head;
	struct pb_table abis; /* ascending by abi */
};

/* --- limits.bin, env.bin ------------------------------------------------------------ */

enum pb_limit_kind {
	PB_L_CPU, PB_L_MEMORY, PB_L_PROCESSES, PB_L_FILES, PB_L_DISK, PB_L_TIME,
	PB_L_OUTPUT, PB_L_STDOUT, PB_L_STDERR, PB_L_FILE_SIZE, PB_L_WRITTEN,
	PB_L_COUNT
};

struct pb_limit {
	uint32_t kind;  /* enum pb_limit_kind */
	uint32_t rule;
	uint64_t value; /* bytes, ms, thousandths or a count */
};

struct pb_limits {
	struct pb_head head;
	struct pb_table limits; /* only those that are set */
};

struct pb_env_entry {
	struct pb_str name;  /* keep: may end in '*' */
	struct pb_str value; /* set: the value; secret: the source of the value */
	uint32_t set;        /* 0: keep, 1: set, 2: a secret, which no version provides
	                        yet: the variable is missing */
	uint32_t rule;       /* UINT32_MAX: there is no rule */
};

struct pb_env {
	struct pb_head head;
	struct pb_table entries; /* keeps first, then sets, then secrets */
};

/* --- publish.bin ------------------------------------------------------------------------ */

/* A range of ports of the run; a port of a denied range is never published. */
struct pb_publish_entry {
	struct pb_str text, file; /* the statement, and where it stands */
	uint32_t line;
	uint16_t lo, hi;
	uint32_t deny; /* 0 or 1 */
	uint32_t pad;
};

struct pb_publish {
	struct pb_head head;
	struct pb_table entries;
};

_Static_assert(sizeof(struct pb_publish_entry) == 32, "pb_publish_entry");
_Static_assert(sizeof(struct pb_rule) == 80, "pb_rule");
_Static_assert(sizeof(struct pb_map_entry) == 16, "pb_map_entry");
_Static_assert(sizeof(struct pb_slab) == 24, "pb_slab");
_Static_assert(sizeof(struct pb_slab4) == 8, "pb_slab4");
_Static_assert(sizeof(struct pb_pair) == 16, "pb_pair");
_Static_assert(sizeof(struct pb_ports) == 8, "pb_ports");
_Static_assert(sizeof(struct pb_piece) == 16, "pb_piece");
_Static_assert(sizeof(struct pb_class) == 16, "pb_class");
_Static_assert(sizeof(struct pb_host) == 16, "pb_host");
_Static_assert(sizeof(struct pb_pool) == 8, "pb_pool");
_Static_assert(sizeof(struct pb_range) == 32, "pb_range");
_Static_assert(sizeof(struct pb_grant) == 72, "pb_grant");
_Static_assert(sizeof(struct pb_egress) == 112, "pb_egress");
_Static_assert(sizeof(struct pb_anchor) == 24, "pb_anchor");
_Static_assert(sizeof(struct pb_mount) == 24, "pb_mount");
_Static_assert(sizeof(struct pb_landlock_abi) == 80, "pb_landlock_abi");
_Static_assert(sizeof(struct pb_limit) == 16, "pb_limit");
_Static_assert(sizeof(struct pb_env_entry) == 24, "pb_env_entry");

#endif
