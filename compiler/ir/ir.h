/*
 * The one IR: a policy after names, levels, locks and narrow-only cuts have been
 * resolved (doc/semantics.md says what each part means).  sema/ and lower/ make it,
 * ir_verify() checks it, eval_decide() defines its meaning, and every analysis and back
 * end reads it.  It lives in one arena, and nothing changes it after the pass "lift".
 *
 * A statement with several patterns, operations, calls or hosts becomes one rule here
 * for each, all with the same id and place.
 */
#ifndef COMPILER_IR_IR_H
#define COMPILER_IR_IR_H

#include <stdio.h>

#include "compiler/base/arena.h"
#include "compiler/base/buf.h"
#include "compiler/base/num.h"
#include "compiler/base/str.h"
#include "compiler/base/vec.h"
#include "compiler/ir/facts.h"
#include "compiler/ir/set.h"

/* --- rules --------------------------------------------------------------- */

struct ir_rule {
	uint32_t index;  /* index in ir.rules: the order of "the first rule" in 3.1 */
	struct str id;
	struct ir_place at;
	struct str text;    /* the statement, on one line */
	struct str because; /* may be empty */
	enum ir_kind kind;
	enum ir_effect effect;
	enum ir_level level;
	unsigned scopes;    /* enum ir_scope bits; `when` has been resolved into them */
	bool final;
	bool floor;         /* from floor.pol: level 5, decided last, few rules lift it */
	bool scratch;       /* an allow of a scratch tree */
	bool soft;          /* an ask of a narrow-only level or below a lock: it turns
	                       allow into ask, but never a deny of `otherwise` */
	bool full;          /* the rule's level may widen (it is not narrow-only) */
	bool may_yes;       /* ask: -y answers it although its level is managed */
	uint16_t err;       /* syscall deny: the errno; else 0 */
	struct str role;    /* the role in whose section it stands, or empty */
	struct str until;   /* YYYY-MM-DD, or empty; an allow whose day has passed is
	                       no rule but in ir.dropped */
	struct ir_set set;
	struct ir_set *except; /* requests in these sets do not match the rule */
	size_t nexcept;
	/* Level 5 deny, ask, hide: the allow rules that lift it (pass "lift"). */
	uint32_t *lifted_by;   /* indexes into ir.rules, ascending */
	size_t nlifted_by;
};

/* Why an `opaque allow` of a level that is not managed counts as ask. */
#define IR_WHY_MANAGED_RULE "a managed rule denies or asks about commands: what cannot be seen into asks"

/* A statement that a lock or a narrow-only level took away; shown as a notice. */
struct ir_dropped {
	struct str text;
	struct str why;      /* "narrow-only level", "section locked by managed", … */
	struct ir_place at;
	struct ir_place by;  /* the lock's place; line 0 if there is no lock */
	enum ir_level level;
};

/*
 * `mount HOST at PLACE`: the tree of an allow rule is also visible at PLACE.  Rules and
 * decisions use only the tree's own name: lowering turns a pattern below PLACE into one
 * below the tree, and a path of a request below PLACE is the same path below the tree.
 */
struct ir_mount {
	struct str place; /* absolute and resolved; never "/" */
	uint32_t rule;    /* the rule whose path is the tree: a root, literal bytes,
	                     and everything below */
};

/*
 * `publish tcp port LO-HI`, or `deny publish`: where a run listens on such a port, polrun leads
 * connections to the same port of this machine's loopback there.  A denied port is never published,
 * whatever publishes it: a rule of any level, or a person with `polrun -P`.
 */
struct ir_publish {
	bool deny;
	uint16_t lo, hi;
	struct str text; /* the statement, on one line */
	enum ir_level level;
	struct str id;
	struct ir_place at;
};

/* --- scalars --------------------------------------------------------------- */

enum ir_scalar_id {
#define SCALAR(id, section, key, type) IR_S_##id,
#include "compiler/ir/scalars.def"
#undef SCALAR
	IR_SCALAR_COUNT
};

/* The built-in value of NET_HOLD and its maximum, in ms. */
#define IR_MAX_HOLD 30000u

enum ir_scalar_type {
	IR_T_EFFECT,   /* allow, ask, deny: in effect */
	IR_T_OTHERWISE,/* like EFFECT, or by risk class: by_risk and effects[] */
	IR_T_MODE,     /* enum ir_mode, in num */
	IR_T_SIZE,     /* num, in bytes */
	IR_T_DURATION, /* num, in ms */
	IR_T_MILLI,    /* num, in thousandths */
	IR_T_COUNT,
	IR_T_NAME      /* in text */
};

struct ir_scalar {
	bool set;             /* somebody set it (std/base counts) */
	enum ir_effect effect;
	bool by_risk;
	enum ir_effect effects[IR_RISK_COUNT];
	uint64_t num;
	struct str text;
	enum ir_level level;
	bool locked;
	struct str id;        /* the section's name, "-", key: "limits-time" */
	struct ir_place at;   /* line 0: nobody set it, it is the built-in value */
	struct str source;    /* the statement, on one line */
	struct str role;      /* the role in whose section it stands, or empty */
	/* the values that it overrode, for `effective`: highest rank first */
	struct ir_scalar *over;
	size_t nover;
};

struct ir_env_keep {
	struct str name; /* may end in '*' */
	enum ir_level level;
	struct str id;
	struct ir_place at;
};

struct ir_env_set {
	struct str name, value; /* the value may have ${ROOT} of known roots */
	enum ir_level level;
	struct str id;
	struct ir_place at;
};

/* `secret NAME from store|file ARG`: only carried so far; no version sets it in a run. */
struct ir_env_secret {
	struct str name;
	bool file;       /* from a file; false: from the store */
	struct str from; /* a path (may contain ${ROOT}), or the name in the store */
	enum ir_level level;
	struct str id;
	struct ir_place at;
};

/*
 * What lower levels may not set because a managed level locked it: the list `keep`, or
 * the value of one variable (of `set` or `secret`).  Each appears once, for the highest
 * level that locks it.
 */
struct ir_env_lock {
	bool keep;
	struct str name; /* the variable's name; empty: keep */
	enum ir_level level;
	struct str id;
	struct ir_place at;
};

/* --- settings, and what is carried for later versions --------------------- */

enum ir_value_type { IR_V_BOOL, IR_V_NUMBER, IR_V_TEXT, IR_V_LIST, IR_V_MAP };

struct ir_value {
	enum ir_value_type type;
	bool yes;               /* BOOL */
	struct str text;        /* TEXT; NUMBER: as JSON writes it */
	struct str key;         /* in a map */
	struct ir_value *items; /* LIST; MAP: sorted by key, each key once */
	size_t nitems;
};

/* The kind of statement that set it. */
enum ir_part {
	IR_P_SETTING, /* `setting KEY = VALUE` */
	IR_P_RUNNER, IR_P_SESSION, IR_P_AUDIT,
	IR_P_ALERT,   /* the key is the alert's name; the value is a map */
	IR_P_TOOL,    /* NAME.KEY: a key of `tool NAME` */
	IR_PART_COUNT
};

/*
 * One setting after precedence was applied.  Sizes are in bytes, durations in ms.  The
 * value of a section inside of a runner is the list of its statements, as texts.
 */
struct ir_setting {
	enum ir_part part;
	struct str key;    /* with dots: "agents.allowedRoles", "container.image" */
	struct ir_value value;
	bool acts;         /* this version acts on it; false: it is only carried */
	enum ir_level level;
	bool locked;
	struct str id;     /* the part's name, "-", key */
	struct ir_place at;
	struct str source; /* the statement, on one line */
	struct str role;   /* the role in whose section it stands, or empty */
	struct ir_setting *over; /* the settings that it overrode or adds to: highest
	                            rank first */
	size_t nover;
};

/* A role that some file declares. */
struct ir_role {
	struct str name;
	struct ir_place at; /* the place of the first declaration, by rank */
	/* digests of statements, whether the role is chosen or not: 128 bits, in hex */
	struct str digest;  /* of its own, and of those whose condition asks for a role */
	struct str all;     /* of all that count under it */
};

/* --- requests ---------------------------------------------------------------- */

struct ir_roots {
	/* absolute physical directories without a trailing '/'; p == NULL: the root
	   does not exist in this decision.  dir[IR_ROOT_FS] is "/". */
	struct str dir[IR_ROOT_COUNT];
};

struct place_memory;

struct ir_request {
	enum ir_kind kind;
	enum ir_scope scope;
	struct ir_roots roots;
	/* kind command */
	struct str line;   /* a shell line, if line.p is not NULL; else argv */
	struct str *argv;
	size_t nargv;
	bool unparsed;     /* the line could not be parsed: argv is ignored */
	struct str cwd;
	/* The links of this machine are followed in the paths that the words name; NULL: they
	 * have no other names than those in the text. */
	struct place_memory *places;
	/*
	 * kinds file, unix: an absolute path without '.', '..', '//', or an abstract
	 * name
	 */
	enum ir_op op;
	struct str path;
	bool abstract;
	/* kind net */
	enum ir_proto proto;
	struct str host;   /* lower-case name; empty if is_addr */
	bool is_addr;
	uint8_t addr[16];  /* an IPv4 address is written as v4-mapped IPv6 */
	uint16_t port;
	bool before_guard; /* what the kernel's table says, behind which the gateway guards */
	/* kind syscall */
	uint32_t nr;
	bool nr_known;     /* false: no table has this number */
	uint64_t args[6];
	/* kind tool */
	struct str tool;
	struct str text;   /* as written, for messages */
};

struct ir_test_case {
	/* argv is split.  The runner of tests fills in the roots.  The path of a file
	   or socket begins with '/' or with "${ROOT}", which the runner replaces by the
	   root's directory (if there is no such root, the request is denied). */
	struct ir_request request;
	enum ir_effect want;
	struct str by;             /* the id of a rule, or empty */
	struct ir_place at;
};

struct ir_test {
	struct str name;
	unsigned scopes;
	struct ir_test_case *cases;
	size_t ncases;
	struct ir_place at;
};

/*
 * `match` and `not match`: a request that some rule of one statement must match, or
 * that none of them may match.  The pass "examples" tries it once.
 */
struct ir_example {
	struct ir_request request; /* as in a test */
	bool matches;              /* false: no rule may match it */
	struct ir_place at;
	struct str rule;           /* the id of the statement */
	struct ir_place rule_at;
	struct ir_rule *const *rules; /* the rules of the statement; there may be none */
	size_t nrules;
};

/* --- assertions ------------------------------------------------------------------ */

/* Every request of this set must get the assertion's effect, or a stricter one. */
struct ir_bound {
	enum ir_kind kind;
	unsigned scopes;
	struct ir_set set; /* matched as a deny is; it grants nothing */
	struct ir_set *except;
	size_t nexcept;
};

/* `assert never|always|only SET`, of any level; it is about the whole resolved policy. */
struct ir_assertion {
	struct str id;
	struct ir_place at;
	struct str text;     /* the statement, on one line */
	struct str because;  /* may be empty */
	enum ir_level level;
	struct str role;     /* the role in whose body it stands, or empty */
	enum ir_effect least; /* ask or deny */
	struct ir_bound *bounds; /* all of one kind; `only`: what lies outside of its set */
	size_t nbounds;      /* 0: it is about no request */
};

/* --- the whole --------------------------------------------------------------- */

struct ir_lock {
	enum ir_level level; /* 0: not locked */
	struct ir_place at;
};

struct ir_level_file {
	enum ir_level level;
	bool narrow;
	struct str name;     /* the file's name as it is printed */
	struct str text;     /* its contents, for sources/ in the bundle */
};

struct eval_index;

struct ir {
	struct arena *a;
	struct str name;        /* from `policy NAME`, or empty */
	uint64_t serial;
	struct str expires;     /* YYYY-MM-DD or empty */
	struct str role;        /* the chosen role (--role), or empty */
	struct str until;       /* the last day on which every allow of this policy
	                           counts, or empty: a bundle of this policy is not
	                           valid after that day */
	bool base_none;
	VEC(struct ir_rule *) rules;     /* by level, file, line; the floor comes last */
	VEC(struct ir_mount) mounts;     /* sorted by place; no place lies in another */
	VEC(struct ir_publish) publish;  /* by level, file, line */
	VEC(struct ir_dropped) dropped;
	struct ir_scalar scalars[IR_SCALAR_COUNT]; /* every scalar has a value */
	struct ir_lock locked[IR_KIND_COUNT];
	VEC(struct ir_env_keep) keep;
	VEC(struct ir_env_set) env;
	VEC(struct ir_env_secret) secrets;
	VEC(struct ir_env_lock) env_locks;
	VEC(struct ir_setting) settings; /* by part, then key; each key once */
	VEC(struct ir_role) roles;       /* sorted by name */
	VEC(struct ir_risk_fact) risks;
	VEC(struct ir_fact) facts;
	VEC(struct ir_program) programs; /* by level, file, line */
	VEC(struct ir_var) vars;
	VEC(struct ir_inert) inert;
	VEC(struct ir_pin) pins;         /* sorted by name; each name once */
	struct ir_shell shell;
	/* The facts above, merged by name, in the form that is used to read lines.
	   Lowering makes it last; whoever reads an IR back makes it too
	   (lower/line_facts.h). */
	const struct line_facts *line_facts;
	VEC(struct ir_test) tests;
	VEC(struct ir_assertion) assertions; /* in order of rank */
	VEC(struct ir_example) examples; /* only of statements that count */
	VEC(struct ir_level_file) files; /* every text that was used, in order of rank */
	bool lifted;                     /* the pass "lift" has run */
	const struct eval_index *index;  /* of the evaluator (eval/index.h), or NULL */
};

/*
 * The words for the enumerations; the lists end with NULL and are used for suggestions.
 */
const char *ir_kind_name(enum ir_kind k);
const char *ir_effect_name(enum ir_effect e);
const char *ir_level_name(enum ir_level l); /* "managed", "managed-file", … "default" */
const char *ir_op_name(enum ir_op op);
const char *ir_root_name(enum ir_root r);   /* "/", "HOME", "PROJECT_DIR", … */
const char *ir_risk_name(enum ir_risk r);
const char *ir_mode_name(enum ir_mode m);
const char *ir_part_name(enum ir_part p);   /* "setting", "runner", … */
const char *ir_scalar_section(enum ir_scalar_id id);
const char *ir_scalar_key(enum ir_scalar_id id);
enum ir_scalar_type ir_scalar_type(enum ir_scalar_id id);
/* The scalar of scope sandbox that belongs to `otherwise` or `opaque` of commands; others: `id`. */
enum ir_scalar_id ir_scalar_of_sandbox(enum ir_scalar_id id);
/* The scalar that says in this scope what `id` says: of commands, `otherwise` and `opaque` may have
 * another value in scope sandbox. */
enum ir_scalar_id ir_scalar_in(const struct ir *ir, enum ir_scalar_id id, enum ir_scope scope);
/* Is it one of these values for scope sandbox?  If it is not set, nothing is said about that scope alone. */
bool ir_is_of_sandbox(enum ir_scalar_id id);

/* Has the glob no wildcard, only bytes and alternatives of bytes? */
bool ir_glob_is_literal(const struct ir_glob *g);
/* The path of a mount's tree. */
const struct ir_path *ir_mount_tree(const struct ir *ir, const struct ir_mount *m);
/* The mount whose place is `path` or contains it, or NULL. */
const struct ir_mount *ir_mount_at(const struct ir *ir, struct str path);
/*
 * Does this allow rule show a tree of the host?  A scratch rule is about the run's own
 * files, so it never matches what such a rule matches, whatever the operation.
 */
bool ir_rule_shows_host(const struct ir_rule *r);
/*
 * Is it an allow of "/"?  Scratch trees and the trees that every run makes for itself
 * are inside of it.
 */
bool ir_rule_is_everywhere(const struct ir_rule *r);
/* For qsort() of pointers to rules. */
int ir_rule_by_index(const void *x, const void *y);
/* Do both say the same about connections? */
bool ir_grant_equal(const struct ir_grant *x, const struct ir_grant *y);
/* The secret of this name, or NULL. */
const struct ir_env_secret *ir_secret_find(const struct ir *ir, struct str name);
/*
 * Does a rule need the secret: for a header, or for a proxy?  Then the gateway gets it, and
 * the run never does.
 */
bool ir_secret_is_used(const struct ir *ir, struct str name);
/* Can a run read the whole host, except what rules take away? */
bool ir_reads_anywhere(const struct ir *ir);

struct ir *ir_new(struct arena *a); /* scalars have their built-in values */

/*
 * Checks every invariant that the comments above state.  Returns NULL, or what is wrong
 * (an internal error: exit status 70).
 */
const char *ir_verify(const struct ir *ir, struct arena *a);

/* A text dump with a stable form, for goldens and `polc dump`. */
void ir_print(FILE *out, const struct ir *ir);
/* Prints one pattern with its guards: "[git push:*] with -f, --force", "/mkfs/i". */
void ir_print_command(FILE *out, const struct ir_command *c);
/* The canonical JSON of ir.json (doc/ir.md). */
void ir_json(struct buf *out, const struct ir *ir);
/* One set, as it appears in that JSON. */
void ir_json_set(struct buf *out, enum ir_kind kind, const struct ir_set *s);

#endif
