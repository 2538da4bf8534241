/*
 * The whole contract between compiler and runtime: the members of a bundle.
 * Little-endian, fixed width, 8-byte aligned records, offsets relative to
 * the member's first byte.  Strings live in a pool at the member's end as
 * {offset, length} pairs into the member; they hold no NUL.
 * doc/bundle-format.md is this file for people.
 */
#ifndef RUNTIME_BUNDLE_FORMAT_H
#define RUNTIME_BUNDLE_FORMAT_H

#include <stdint.h>

#define PB_FORMAT_VERSION 1u
#define PB_MAX_BUNDLE (64u * 1024 * 1024)
#define PB_MAX_SUBCOMMAND 128 /* bytes of the name of a subcommand's table, "git rebase" */
#define PB_MAX_MEMBERS 4096u
#define PB_MAX_RULES 65536u
#define PB_MAX_MOUNTS 256u
#define PB_MAX_PLACE 1024u /* bytes of a mount's place */
#define PB_MAX_SIGNATURES 16u

#define PB_MANIFEST "manifest.json"
#define PB_MANIFEST_B2 "manifest.b2"
/* signatures/NAME.sshsig, NAME as sshkey_name() makes it; between these two. */
#define PB_SIGNATURES "signatures/"
#define PB_SIGNATURE_END ".sshsig"
#define PB_RULES "rules.bin"
#define PB_MATCHER "matcher.bin"
#define PB_COMMANDS "commands.bin"
#define PB_SECCOMP_ENFORCE "seccomp/x86_64.enforce.bpf"
#define PB_SECCOMP_TRACE "seccomp/x86_64.trace.bpf"
#define PB_SECCOMP_ENFORCE_MAP "seccomp/x86_64.enforce.map"
#define PB_SECCOMP_TRACE_MAP "seccomp/x86_64.trace.map"
#define PB_NFT_JSON "nft.json"
#define PB_NFT_BATCH "nft.batch"
#define PB_EGRESS "egress.bin"
#define PB_LANDLOCK "landlock.bin"
#define PB_MOUNTS "mounts.bin"
#define PB_LIMITS "limits.bin"
#define PB_ENV "env.bin"
#define PB_SETTINGS "settings.json"
#define PB_IR "ir.json"

struct pb_str { uint32_t off, len; };

/* Every binary member begins with this. */
struct pb_head {
	uint32_t magic;   /* PB_MAGIC_* */
	uint32_t version; /* PB_FORMAT_VERSION */
	uint32_t size;    /* of the member in bytes */
	uint32_t zero;
};

#define PB_MAGIC_RULES   0x4c555250u /* "PRUL" */
#define PB_MAGIC_MATCHER 0x54414d50u /* "PMAT" */
#define PB_MAGIC_COMMANDS 0x444d4350u /* "PCMD" */
#define PB_MAGIC_MAP     0x50414d50u /* "PMAP" */
#define PB_MAGIC_EGRESS  0x52474550u /* "PEGR" */
#define PB_MAGIC_LANDLOCK 0x444e4c50u /* "PLND" */
#define PB_MAGIC_MOUNTS  0x544e4d50u /* "PMNT" */
#define PB_MAGIC_LIMITS  0x4d494c50u /* "PLIM" */
#define PB_MAGIC_ENV     0x564e4550u /* "PENV" */

/* A table inside a member: `count` records of a known size from `off` on. */
struct pb_table { uint32_t off, count; };

/* --- rules.bin ------------------------------------------------------------ */

enum pb_kind { PB_COMMAND, PB_FILE, PB_NET, PB_UNIX, PB_SYSCALL, PB_TOOL,
	       PB_SCALAR, /* a scalar: named by decisions like a rule */
	       PB_RISK,   /* a risk fact; `effect` is the class 0..3 */
	       PB_KIND_COUNT };
enum pb_effect { PB_ALLOW, PB_ASK, PB_DENY, PB_HIDE, PB_EFFECT_COUNT };
enum pb_level { PB_MANAGED = 1, PB_MANAGED_FILE, PB_PROJECT, PB_USER, PB_DEFAULT };
enum pb_op { PB_READ = 1, PB_WRITE = 2, PB_EXEC = 4 };
enum pb_scope { PB_SANDBOX = 1, PB_HOST = 2 };
enum pb_root { PB_ROOT_FS, PB_ROOT_HOME, PB_ROOT_PROJECT, PB_ROOT_SESSION,
	       PB_ROOT_TMP, PB_ROOT_COUNT };

enum pb_rule_flag {
	PB_F_FINAL = 1, PB_F_FLOOR = 2, PB_F_SCRATCH = 4, PB_F_SOFT = 8,
	PB_F_ANSWER = 16, /* an ask that only a person answers */
	PB_F_HOST = 32   /* an allow without wildcards: what it matches is the
	                    host's, and no scratch rule speaks of it */
};

/* How well the whole rule holds (the weakest of its layers), for --plan. */
enum pb_exactness { PB_X_NONE, PB_X_EXACT, PB_X_OVER, PB_X_UNDER,
		    PB_X_ENTRY_ONLY, PB_X_ADVISORY };

/*
 * The rule table.  A rule's number is its index; every other member names
 * rules by it.  The IR's rules come first and in the IR's order, then one
 * record for each scalar (SCALAR_FIRST + enum ir_scalar_id), then the risk
 * facts.
 */
struct pb_rule {
	struct pb_str id, file, text, reason, note; /* note: exactness in words */
	uint32_t line, col;
	uint8_t kind, effect, level, flags;
	uint8_t scopes;   /* enum pb_scope bits */
	uint8_t ops;      /* files: one pb_op bit, or all for hide */
	uint16_t err;     /* syscall deny: the errno */
	uint8_t exactness;/* enum pb_exactness */
	uint8_t by_risk;  /* scalars of type otherwise: 1, effects below count */
	uint8_t effects[4]; /* by risk class */
	uint8_t zero[2];
	uint32_t lifted_off, lifted_count; /* u32 rule numbers in the pool `lifted` */
	uint64_t value;   /* scalars: the number (limits, mode) */
};

/* The scalars that decisions read: number - scalar_first. */
enum pb_scalar {
	PB_S_COMMAND_OTHERWISE = 1, PB_S_COMMAND_OPAQUE, PB_S_FILE_READ,
	PB_S_FILE_WRITE, PB_S_FILE_EXEC, PB_S_NET_MODE, PB_S_NET_OTHERWISE,
	PB_S_UNIX_OTHERWISE, PB_S_SYSCALL_OTHERWISE, PB_S_TOOL_OTHERWISE,
	PB_S_ASK_ANSWER = 22 /* permissions.mode: what becomes of an ask */
};

enum pb_net_mode { PB_NET_DISABLED, PB_NET_LIMITED, PB_NET_FULL };

struct pb_rules {
	struct pb_head head;
	struct pb_table rules;  /* struct pb_rule */
	struct pb_table lifted; /* uint32_t; lifted_off counts records */
	uint32_t ir_rules;      /* how many of them are rules of the IR */
	uint32_t scalar_first;  /* number of the first scalar record */
	uint32_t scalar_count;
	uint32_t risk_first, risk_count;
	uint32_t locked[6];     /* by kind: level of the lock, 0 none */
	uint32_t carried;       /* values of settings.json that this version's
	                           programs do not act on */
	struct pb_str policy;   /* its name */
	struct pb_str role;     /* the one that was chosen, or empty */
};

/* --- matcher.bin ------------------------------------------------------------ */

/*
 * Automata.  The rest of a path under a root (ir.h says what the rest is); a
 * tool name; an abstract socket name.  One kind may have several automata: the
 * tags of all count, but for rules that an automaton with `except` set tags.
 */
struct pb_automaton {
	uint8_t kind;     /* PB_FILE, PB_UNIX, PB_TOOL, PB_RISK (of tools); of the tables
	                     of commands PB_COMMAND */
	uint8_t root;     /* PB_FILE, PB_UNIX: enum pb_root */
	uint8_t abstract; /* PB_UNIX: over abstract names */
	uint8_t zero;
	uint32_t nstates, nclasses, start; /* state 0 is dead */
	uint32_t cls;     /* offset of 256 bytes: byte -> class */
	uint32_t states;  /* offset of nstates + 1 struct pb_state */
	uint32_t moves, nmoves; /* offset of u32: PB_MOVE(class, state) */
	uint32_t set_at, nsets; /* offset of nsets + 1 u32: into tags */
	uint32_t tags, ntags;   /* offset of u32 rule numbers, sorted per set */
	uint32_t except;  /* not 0: its tags name rules that do not match (an
	                     exception under another root than the rule's); for
	                     files the pb_op bits for which it holds, else 1 */
	uint32_t hides;   /* 1: a rule of its tags hides; of the table automata only */
};

/*
 * Most classes lead from a state to one other, so only the rest is listed:
 * moves[s.moves] up to where the next state's begin, by ascending class.  The
 * record behind the last state only ends the moves.
 */
struct pb_state {
	uint32_t moves; /* the first of them */
	uint32_t other; /* the state that all other classes lead to */
	uint32_t set;   /* of rule numbers; 0 is the empty one */
};

#define PB_MOVE(class, state) ((uint32_t)(class) << 24 | (uint32_t)(state))
#define PB_MOVE_CLASS(move) ((move) >> 24)
#define PB_MOVE_STATE(move) ((move) & 0xffffffu)
#define PB_MAX_STATES 0xffffffu

/*
 * Commands.  One pattern with its guards is a clause; the tags of command
 * automata are numbers of clauses.  The exceptions of a rule or fact follow its
 * own clause.  Automata are grouped by the program's name: those of a name
 * take the words behind the program, each ended by NUL.
 */
#define PB_NO_RULE UINT32_MAX
#define PB_NO_WORDS UINT32_MAX

struct pb_clause {
	uint32_t rule;     /* a rule, a risk fact, or PB_NO_RULE: of `inert` */
	uint8_t except;    /* 1: what the one before it does not match */
	uint8_t broad;     /* 1: as deny and ask match, 0: as allow */
	uint8_t regex;     /* 1: searched in the joined words */
	uint8_t sure;      /* 1: broad, and what it matches for sure decides (a deny, an
	                      exception of an allow); of others only what it may match */
	uint32_t guard, nguards; /* all of them must hold */
};

enum pb_guard_kind { PB_G_WITH, PB_G_WITHOUT, PB_G_WITH_ONLY, PB_G_WITHIN };

struct pb_guard {
	uint32_t kind;
	uint32_t first, count; /* of guard_options; WITHIN: of guard_paths */
	uint32_t zero;
};

struct pb_guard_option {
	struct pb_str name;  /* as it is, with its dashes; or, with `names`, as written */
	uint32_t names;      /* automaton of `words`, or PB_NO_WORDS */
	uint32_t values;     /* what its value must be, ended by NUL, or PB_NO_WORDS */
};

struct pb_guard_path {
	uint32_t root;  /* enum pb_root */
	uint32_t words; /* automaton over the rest of a path under that root */
};

/*
 * The automata of a program's name: commands[narrow] … and commands[broad] …,
 * all of which are asked.  Number 0 stands for every program that no name
 * says: its automata begin with the program.  Narrow ones take it as its name
 * ("/" where an allow may not trust the word), its place under the project and
 * its absolute place ("=PLACE", or nothing); broad ones its base name.  Number
 * 1 are the regular expressions, over the words joined by blanks.  A name that
 * ends in ":/" is of patterns "name:*", for programs that go on behind the ':'.
 */
#define PB_NAME_ANY 0u
#define PB_NAME_REGEX 1u
#define PB_NAME_FIRST 2u

struct pb_name {
	struct pb_str name;
	uint32_t narrow, nnarrow, broad, nbroad;
};

/* A regular expression that is no automaton: PCRE2 decides. */
struct pb_regex {
	struct pb_str text;
	uint32_t clause;
	uint32_t flags; /* enum pb_regex_flag */
};

enum pb_regex_flag { PB_RX_CASELESS = 1, PB_RX_EXTENDED = 2 };

struct pb_matcher {
	struct pb_head head;
	struct pb_table automata; /* struct pb_automaton */
	struct pb_table commands; /* struct pb_automaton: tags are clauses */
	struct pb_table clauses;  /* struct pb_clause */
	struct pb_table names;    /* struct pb_name */
	struct pb_table slots;    /* uint32_t, a power of two of them: the number of the
	                             name whose pb_hash() leads here, or the next free
	                             one; 0 is free */
	struct pb_table guards;   /* struct pb_guard */
	struct pb_table guard_options; /* struct pb_guard_option */
	struct pb_table guard_paths;   /* struct pb_guard_path */
	struct pb_table words;    /* struct pb_automaton: a text that ends in a state with
	                             a tag matches */
	struct pb_table regexes;  /* struct pb_regex */
	uint32_t max_states;      /* of an automaton of `commands` */
	uint32_t zero;
};

/* FNV-1a. */
static inline uint32_t pb_hash(const char *p, uint32_t n)
{
	uint32_t h = 2166136261u, i;

	for (i = 0; i < n; i++)
		h = (h ^ (uint8_t)p[i]) * 16777619u;
	return h;
}

/* --- commands.bin: what programs look like (semantics 4.2) ----------------------- */

enum pb_program_kind { PB_PK_PROGRAM = 1, PB_PK_WRAPPER = 2, PB_PK_INTERPRETER = 4 };

enum pb_program_flag {
	PB_PF_TRANSPARENT = 1,  /* wrapper: needs no permission of its own */
	PB_PF_ABBREVIATE = 2,   /* long options may be cut short */
	PB_PF_NO_CLUSTER = 4,   /* "-ab" is one option */
	PB_PF_POSIX = 8,        /* options end at the first operand */
	PB_PF_ASSIGNMENTS = 16, /* wrapper: NAME=value words before the command */
	PB_PF_JOINED = 32,      /* wrapper: its words are joined into one line */
	PB_PF_APPENDS = 64,     /* wrapper: words that are not known follow */
	PB_PF_SHELL = 128,      /* interpreter: its code is shell text */
	PB_PF_CODE_STDIN = 256, /* code on standard input where no script is named */
	PB_PF_DASHED = 512,     /* "git-push" is "git push" */
	PB_PF_VERSIONS = 1024,  /* wrapper: its command may be NAME@VERSION, SOURCE#NAME */
	PB_PF_ABBREVIATE_COMMANDS = 2048, /* its subcommands may be cut short */
	PB_PF_STAYS = 4096,     /* wrapper: its command runs where it does itself, but with
	                           an option that moves it, or that no table knows */
	PB_PF_ELSEWHERE = 8192, /* wrapper: its command runs in no directory that is known */
	PB_PF_NO_END = 16384,   /* "--" may end its options or not */
	PB_PF_BOOLEANS = 32768, /* "--flag true": an option's value, or an operand */
	PB_PF_ONE_DASH = 65536, /* "-name" is "--name" */
	PB_PF_SUBCOMMANDS = 131072 /* some subcommand has a table */
};

/* EITHER: the next word is its value in places, or in some release */
enum pb_option_takes { PB_TAKES_NOTHING, PB_TAKES_VALUE, PB_TAKES_ATTACHED, PB_TAKES_EITHER };

enum pb_option_flag {
	PB_OF_GLOBAL = 1, /* may stand before the subcommand */
	PB_OF_CODE = 2,   /* its value, or what it makes the program do, is code */
	PB_OF_QUERY = 4,  /* the program runs nothing */
	PB_OF_MOVES = 8,  /* wrapper: its command runs in another directory, or below another
	                     root */
	PB_OF_RUNS = 16   /* wrapper: its words are a command in spite of PB_NO_COMMAND */
};

#define PB_NO_WHEN UINT32_MAX

struct pb_option {
	struct pb_str name; /* "-o", "--output", "+O"; dashes included.  One that ends
	                       in '*' stands for every option that begins so */
	uint8_t takes;      /* enum pb_option_takes */
	uint8_t flags;      /* enum pb_option_flag */
	uint16_t same;      /* options of one program with one number are one option */
	uint32_t when;      /* of CODE: number in `whens`, or PB_NO_WHEN */
};

/* A code place that is no option: the operand of that number, from 1, or each
 * of them ("code operand any": `vim +cmd`). */
#define PB_ANY_OPERAND UINT32_MAX
struct pb_code { uint32_t operand, when; };

struct pb_word { struct pb_str text; };

#define PB_NO_COMMAND 99u

/*
 * All that the levels say of one name, put together.  A subcommand has a table
 * of its own, "git rebase", behind that of "git": its options come first, then
 * those of its base, and one that both have is the base's (`same` counts on).
 */
struct pb_program {
	struct pb_str name;
	uint32_t kinds;          /* enum pb_program_kind */
	uint32_t flags;          /* enum pb_program_flag */
	uint32_t skip;           /* wrapper: operands before the command; from
	                            PB_NO_COMMAND on it has none, only code, but with an
	                            option that says so (PB_OF_RUNS) */
	uint32_t base;           /* a subcommand: 1 + number of what it is one of; 0 */
	uint32_t stems;          /* 1: the name of one of its own options ends in '*' */
	uint32_t zero;
	struct pb_table options; /* struct pb_option, by name */
	struct pb_table codes;   /* struct pb_code, by operand */
	struct pb_table after;   /* struct pb_word: where commands begin (-exec) */
	struct pb_table ends;    /* struct pb_word: where they end (; +) */
	struct pb_table also;    /* struct pb_word: a subcommand: its other names */
};

/* A variable that an assignment before a command may set. */
struct pb_var {
	struct pb_str name; /* may end in '*' */
	uint32_t taint;     /* 1: changes what runs; 0: safe */
	uint32_t zero;
};

struct pb_pin {
	struct pb_str name, path;
	uint8_t sha256[32];
	uint32_t has_digest;
	uint32_t zero;
};

enum pb_dialect { PB_DIALECT_BASH, PB_DIALECT_POSIX, PB_DIALECT_NONE };

struct pb_commands {
	struct pb_head head;
	struct pb_table programs; /* struct pb_program, by name */
	struct pb_table vars;     /* struct pb_var, by name */
	struct pb_table pins;     /* struct pb_pin, by name */
	struct pb_table whens;    /* struct pb_automaton (offsets into this member): a
	                             text that ends in a state with a tag matches */
	uint32_t dialect;         /* enum pb_dialect */
	uint32_t zero;
	struct pb_str shell;      /* path of the program that runs lines, or empty: the
	                             dialect's own */
	struct pb_str shell_name; /* as the policy names it: "bash", "posix", "zsh" */
};

/* --- seccomp/<arch>.{enforce,trace}.{bpf,map} --------------------------------- */

/* .bpf: an array of struct sock_filter (8 bytes each), nothing else. */

enum pb_verdict {
	PB_V_DENY = 1,  /* returns USER_NOTIF; errno in err.  Without a listener
	                   polrun rewrites it to ERRNO before loading */
	PB_V_TRACE = 2, /* returns USER_NOTIF, answered CONTINUE after a look */
	PB_V_KILL = 3   /* architecture checks */
};

struct pb_map_entry {
	uint32_t pc;    /* the BPF_RET instruction */
	uint8_t verdict;
	uint8_t zero;
	uint16_t err;
	uint32_t rule;  /* UINT32_MAX: none (KILL, TRACE) */
	uint32_t zero2;
};

struct pb_map {
	struct pb_head head;
	struct pb_table entries; /* by pc, ascending */
};

/* --- nft.json, nft.batch, egress.bin: the network of the mode `limited` --------- */

/*
 * nft.json: documents of libnftables, one a line, each one transaction; the
 * first makes the table and the chain that drops.  nft.batch: the netlink
 * messages that libnftables sends for them, one transaction behind the other
 * (runtime/bundle/nft_batch.h).
 */
#define PB_NFT_TABLE "pol"
#define PB_NFT_CHAIN "out"
#define PB_NFT_GROUP 42u /* NFLOG: denials, with the rule's id as prefix */
/* No transaction is longer: the kernel's default for a socket is 212,992. */
#define PB_NFT_TRANSACTION (200u * 1024)

/*
 * egress.bin: what every (address, protocol, port) gets, without gaps.  The
 * line of addresses, v4 as v4-mapped v6, is cut into slabs; each names the
 * list of port ranges that holds there for tcp and for udp.
 */
struct pb_slab {
	uint8_t lo[16];     /* up to the next slab's, the last to the end */
	uint32_t tcp, udp;  /* number of a list */
};

struct pb_ports {
	uint32_t first, count; /* pieces; the lists follow each other */
};

struct pb_piece {
	uint16_t hi;  /* from the one before it on; the last is 65535 */
	uint8_t effect, zero;
	uint32_t rule; /* a rule or a scalar */
};

struct pb_egress {
	struct pb_head head;
	struct pb_table slabs;  /* struct pb_slab; the first begins at :: */
	struct pb_table lists;  /* struct pb_ports */
	struct pb_table pieces; /* struct pb_piece */
};

/* --- mounts.bin: where the view may change ------------------------------------- */

enum pb_anchor_kind {
	PB_A_PATH,   /* a literal path: the rule's whole set hangs off it */
	PB_A_WILD,   /* a deny of writing with a wildcard: `path` is the deepest
	                literal directory that contains all its names */
	PB_A_ANY     /* an any-depth deny of writing: no path */
};

enum pb_anchor_flag {
	PB_AF_BELOW = 1,   /* covers everything below */
	PB_AF_SCRATCH = 2, /* a scratch tree */
	PB_AF_FLOOR = 4
};

/*
 * One anchor per literal file pattern (and per wildcard deny of writing).
 * polrun resolves roots and asks decide_file() for the three operations at
 * each: where the answer differs from the nearest anchor above it, the view
 * changes there.  So view and decisions come from one place.
 */
struct pb_anchor {
	uint8_t kind, root, ops, effect;
	uint8_t flags, zero[3];
	uint32_t rule;
	struct pb_str path; /* the rest under the root, "" or beginning with '/' */
	uint32_t zero2;
};

/*
 * A tree of the host (that of the rule) with a second name inside, `place`.
 * Anchors and automata know it by its own name only.
 */
struct pb_mount {
	uint8_t root, zero[3];
	uint32_t rule;       /* an allow rule of files */
	struct pb_str path;  /* the tree: the rest under the root */
	struct pb_str place; /* absolute; by place, none lies in another */
};

struct pb_mounts {
	struct pb_head head;
	struct pb_table anchors;
	struct pb_table mounts; /* struct pb_mount */
	uint64_t disk; /* bytes for scratch trees; 0: unlimited */
	uint32_t disk_rule;
	uint32_t zero;
};

/* --- landlock.bin: what each operation means at each ABI -------------------------- */

struct pb_landlock_abi {
	uint32_t abi; /* 1.. */
	uint32_t zero;
	uint64_t handled_fs, handled_net, scoped;
	/* access rights that the operation needs on a directory and on a file */
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
	struct pb_str value; /* set; secret: where it would come from */
	uint32_t set;        /* 0: keep, 1: set, 2: a secret, which no version gives
	                        yet: the variable is not there */
	uint32_t rule;       /* UINT32_MAX: no rule number */
};

struct pb_env {
	struct pb_head head;
	struct pb_table entries; /* keeps first, then sets, then secrets */
};

_Static_assert(sizeof(struct pb_head) == 16, "pb_head");
_Static_assert(sizeof(struct pb_rule) == 80, "pb_rule");
_Static_assert(sizeof(struct pb_automaton) == 56, "pb_automaton");
_Static_assert(sizeof(struct pb_state) == 12, "pb_state");
_Static_assert(sizeof(struct pb_clause) == 16, "pb_clause");
_Static_assert(sizeof(struct pb_guard) == 16, "pb_guard");
_Static_assert(sizeof(struct pb_guard_option) == 16, "pb_guard_option");
_Static_assert(sizeof(struct pb_guard_path) == 8, "pb_guard_path");
_Static_assert(sizeof(struct pb_name) == 24, "pb_name");
_Static_assert(sizeof(struct pb_regex) == 16, "pb_regex");
_Static_assert(sizeof(struct pb_matcher) == 104, "pb_matcher");
_Static_assert(sizeof(struct pb_option) == 16, "pb_option");
_Static_assert(sizeof(struct pb_code) == 8, "pb_code");
_Static_assert(sizeof(struct pb_program) == 72, "pb_program");
_Static_assert(sizeof(struct pb_var) == 16, "pb_var");
_Static_assert(sizeof(struct pb_pin) == 56, "pb_pin");
_Static_assert(sizeof(struct pb_commands) == 72, "pb_commands");
_Static_assert(sizeof(struct pb_map_entry) == 16, "pb_map_entry");
_Static_assert(sizeof(struct pb_slab) == 24, "pb_slab");
_Static_assert(sizeof(struct pb_ports) == 8, "pb_ports");
_Static_assert(sizeof(struct pb_piece) == 8, "pb_piece");
_Static_assert(sizeof(struct pb_anchor) == 24, "pb_anchor");
_Static_assert(sizeof(struct pb_mount) == 24, "pb_mount");
_Static_assert(sizeof(struct pb_landlock_abi) == 80, "pb_landlock_abi");
_Static_assert(sizeof(struct pb_limit) == 16, "pb_limit");
_Static_assert(sizeof(struct pb_env_entry) == 24, "pb_env_entry");

#endif
