/*
 * The one IR: a policy after names, levels, locks and narrow-only cuts are
 * resolved (doc/semantics.md says what each part means).  It is made by
 * sema/ and lower/, checked by ir_verify(), given its meaning by eval_decide(),
 * and read by every analysis and back end.  Everything lives in one arena
 * and is never changed after the pass "lift".
 *
 * A statement with several patterns, operations, calls or hosts is that
 * many rules here, all with one id and one place.
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
	uint32_t index;  /* in ir.rules: the order of "the first rule" of 3.1 */
	struct str id;
	struct ir_place at;
	struct str text;    /* its statement, on one line */
	struct str because; /* or empty */
	enum ir_kind kind;
	enum ir_effect effect;
	enum ir_level level;
	unsigned scopes;    /* enum ir_scope bits; `when` is resolved into this */
	bool final;
	bool floor;         /* of floor.pol: level 5, decided last, lifted by few */
	bool scratch;       /* allow of a scratch tree */
	bool soft;          /* ask of a narrow-only level or below a lock: turns
	                       allow into ask, never a deny of otherwise */
	bool full;          /* its level may widen (not narrow-only) */
	bool may_yes;       /* ask: -y answers it, although its level is managed */
	uint16_t err;       /* syscall deny: the errno, 0 otherwise */
	struct str role;    /* whose section it stands in, or empty */
	struct str until;   /* YYYY-MM-DD, or empty; an allow whose day has passed
	                       is in ir.dropped and no rule */
	struct ir_set set;
	struct ir_set *except; /* sets that the rule does not match */
	size_t nexcept;
	/* Level 5 deny, ask, hide: allow rules that lift it (pass "lift"). */
	uint32_t *lifted_by;   /* indexes into ir.rules, ascending */
	size_t nlifted_by;
};

/* A statement that a lock or a narrow-only level took away: a notice. */
struct ir_dropped {
	struct str text;
	struct str why;      /* "narrow-only level", "section locked by managed", … */
	struct ir_place at;
	struct ir_place by;  /* the lock's place; line 0 where there is none */
	enum ir_level level;
};

/*
 * `mount HOST at PLACE`: the tree of an allow rule has the name PLACE, too.
 * Rules speak of it by its own name only (a pattern below PLACE is lowered to
 * one below the tree), and so do decisions: what a request names below PLACE
 * is the same below the tree.
 */
struct ir_mount {
	struct str place; /* absolute and resolved; never "/" */
	uint32_t rule;    /* its path is the tree: a root, bytes, and all below */
};

/* --- scalars --------------------------------------------------------------- */

enum ir_scalar_id {
#define SCALAR(id, section, key, type) IR_S_##id,
#include "compiler/ir/scalars.def"
#undef SCALAR
	IR_SCALAR_COUNT
};

enum ir_scalar_type {
	IR_T_EFFECT,   /* allow, ask, deny: effect */
	IR_T_OTHERWISE,/* as EFFECT, or by risk: by_risk and effects[] */
	IR_T_MODE,     /* enum ir_mode in num */
	IR_T_SIZE,     /* bytes */
	IR_T_DURATION, /* ms */
	IR_T_MILLI,    /* thousandths */
	IR_T_COUNT,
	IR_T_NAME      /* text */
};

struct ir_scalar {
	bool set;             /* somebody said it (std/base counts) */
	enum ir_effect effect;
	bool by_risk;
	enum ir_effect effects[IR_RISK_COUNT];
	uint64_t num;
	struct str text;
	enum ir_level level;
	bool locked;
	struct str id;        /* the section's name, "-", key: "limits-time" */
	struct ir_place at;   /* line 0: nobody said it, the built-in value */
	struct str source;    /* its statement on one line */
	struct str role;      /* whose section it stands in, or empty */
	/* what it overrode, for `effective`: highest rank first */
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
	struct str name, value; /* value may hold ${ROOT} of known roots only */
	enum ir_level level;
	struct str id;
	struct ir_place at;
};

/* `secret NAME from store|file ARG`: carried; no version gives it yet. */
struct ir_env_secret {
	struct str name;
	bool file;       /* from file, else from the store */
	struct str from; /* path (may hold ${ROOT}), or name in the store */
	enum ir_level level;
	struct str id;
	struct ir_place at;
};

/*
 * What a managed level keeps lower ones from saying: the list `keep`, or the value
 * of one variable, be it `set` or a secret.  Each once, by the highest level.
 */
struct ir_env_lock {
	bool keep;
	struct str name; /* of the variable; empty: keep */
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
	struct ir_value *items; /* LIST; MAP: by key, each once */
	size_t nitems;
};

/* Where it was said. */
enum ir_part {
	IR_P_SETTING, /* `setting KEY = VALUE` */
	IR_P_RUNNER, IR_P_SESSION, IR_P_AUDIT,
	IR_P_ALERT,   /* key: the alert's name; a map */
	IR_P_TOOL,    /* NAME.KEY: what `tool NAME` says of a tool */
	IR_P_NETWORK, /* via */
	IR_PART_COUNT
};

/*
 * One value after precedence.  Sizes are numbers of bytes, durations of ms.
 * A section inside of a runner is the list of its statements, as texts.
 */
struct ir_setting {
	enum ir_part part;
	struct str key;    /* dotted: "agents.allowedRoles", "container.image" */
	struct ir_value value;
	bool acts;         /* this version acts on it; else it is only carried */
	enum ir_level level;
	bool locked;
	struct str id;     /* the part's name, "-", key */
	struct ir_place at;
	struct str source; /* its statement on one line */
	struct str role;   /* whose section it stands in, or empty */
	struct ir_setting *over; /* what it overrode or adds to: highest rank first */
	size_t nover;
};

/* A role that some file declares. */
struct ir_role {
	struct str name;
	struct ir_place at; /* the first place, by rank */
	struct str digest;  /* of what stands in it, chosen or not: hex, 128 bits */
};

/* --- requests ---------------------------------------------------------------- */

struct ir_roots {
	/* physical absolute directories without a trailing '/'; p == NULL: the
	   root does not exist in this decision. dir[IR_ROOT_FS] is "/". */
	struct str dir[IR_ROOT_COUNT];
};

struct ir_request {
	enum ir_kind kind;
	enum ir_scope scope;
	struct ir_roots roots;
	/* command */
	struct str line;   /* a shell line (line.p != NULL), or else: */
	struct str *argv;
	size_t nargv;
	bool unparsed;     /* the line could not be read: argv is ignored */
	struct str cwd;
	/* file, unix: an absolute path without '.', '..', '//' ; or abstract name */
	enum ir_op op;
	struct str path;
	bool abstract;
	/* net */
	enum ir_proto proto;
	struct str host;   /* lower case name, or empty when is_addr */
	bool is_addr;
	uint8_t addr[16];  /* v4 as v4-mapped */
	uint16_t port;
	/* syscall */
	uint32_t nr;
	bool nr_known;     /* false: no table names this number */
	uint64_t args[6];
	/* tool */
	struct str tool;
	struct str text;   /* as written, for messages */
};

struct ir_test_case {
	/* argv split; roots are filled by the runner of tests, and a file's or
	   socket's path begins with '/' or with "${ROOT}", which he replaces by
	   the root's directory (no such root: the request is denied) */
	struct ir_request request;
	enum ir_effect want;
	struct str by;             /* rule id or empty */
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
 * `match` and `not match`: a request that the rules of one statement match,
 * or that none of them does.  Tried once, by the pass "examples".
 */
struct ir_example {
	struct ir_request request; /* as a test's */
	bool matches;              /* else: must not */
	struct ir_place at;
	struct str rule;           /* the statement's id */
	struct ir_place rule_at;
	struct ir_rule *const *rules; /* of the statement; may be none */
	size_t nrules;
};

/* --- the whole --------------------------------------------------------------- */

struct ir_lock {
	enum ir_level level; /* 0: not locked */
	struct ir_place at;
};

struct ir_level_file {
	enum ir_level level;
	bool narrow;
	struct str name;     /* as printed */
	struct str text;     /* its bytes, for sources/ in the bundle */
};

struct ir {
	struct arena *a;
	struct str name;        /* of `policy NAME`, or empty */
	uint64_t serial;
	struct str expires;     /* YYYY-MM-DD or empty */
	struct str role;        /* the chosen one (--role), or empty */
	struct str until;       /* the last day on which every allow of this policy
	                           counts, or empty: no bundle of it is valid after
	                           that day */
	bool base_none;
	VEC(struct ir_rule *) rules;     /* by level, file, line; the floor last */
	VEC(struct ir_mount) mounts;     /* by place; none lies in another */
	VEC(struct ir_dropped) dropped;
	struct ir_scalar scalars[IR_SCALAR_COUNT]; /* always filled */
	struct ir_lock locked[IR_KIND_COUNT];
	VEC(struct ir_env_keep) keep;
	VEC(struct ir_env_set) env;
	VEC(struct ir_env_secret) secrets;
	VEC(struct ir_env_lock) env_locks;
	VEC(struct ir_setting) settings; /* by part, then key; each once */
	VEC(struct ir_role) roles;       /* by name */
	VEC(struct ir_risk_fact) risks;
	VEC(struct ir_fact) facts;
	VEC(struct ir_program) programs; /* by level, file, line */
	VEC(struct ir_var) vars;
	VEC(struct ir_inert) inert;
	VEC(struct ir_pin) pins;         /* by name; each once */
	struct ir_shell shell;
	/* The facts above put together by name, as lines are read with them.  Lowering
	   makes it last, or whoever reads the IR back (lower/line_facts.h). */
	const struct line_facts *line_facts;
	VEC(struct ir_test) tests;
	VEC(struct ir_example) examples; /* of statements that count */
	VEC(struct ir_level_file) files; /* every text that took part, in rank order */
	bool lifted;                     /* the pass "lift" has run */
};

/* The words of the enumerations; NULL-terminated lists for suggestions. */
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

/* No wildcard: bytes and alternatives of bytes only. */
bool ir_glob_is_literal(const struct ir_glob *g);
/* The path of the mount's tree. */
const struct ir_path *ir_mount_tree(const struct ir *ir, const struct ir_mount *m);
/* The mount whose place `path` is or lies below, or NULL. */
const struct ir_mount *ir_mount_at(const struct ir *ir, struct str path);
/*
 * Does this allow rule show a tree of the host?  A scratch rule speaks of the
 * run's own files, so it does not match what such a rule matches, whatever
 * the operation.
 */
bool ir_rule_shows_host(const struct ir_rule *r);
/* An allow of "/": scratch trees and what every run makes for itself lie in it. */
bool ir_rule_is_everywhere(const struct ir_rule *r);
/* Can a run read all of the host but what rules take away? */
bool ir_reads_anywhere(const struct ir *ir);

struct ir *ir_new(struct arena *a); /* scalars hold the built-in values */

/*
 * Checks every invariant that the comments above state.  Returns NULL, or
 * what is broken (an internal error: exit 70).
 */
const char *ir_verify(const struct ir *ir, struct arena *a);

/* A stable text dump for goldens and `polc dump`. */
void ir_print(FILE *out, const struct ir *ir);
/* "[git push:*] with -f, --force", "/mkfs/i": one pattern with its guards. */
void ir_print_command(FILE *out, const struct ir_command *c);
/* The canonical JSON of ir.json (doc/ir.md). */
void ir_json(struct buf *out, const struct ir *ir);
/* One set as it stands there. */
void ir_json_set(struct buf *out, enum ir_kind kind, const struct ir_set *s);

#endif
