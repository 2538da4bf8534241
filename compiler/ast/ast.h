/*
 * The surface tree: what a policy text says, before names are resolved.
 * Only compiler/ast/build.h makes nodes.  Every node has the span of its text; lists
 * are singly linked in source order (`next`).  Strings are decoded (escapes are
 * resolved), but ${NAME} stays in them, because sema interpolates.
 */
#ifndef COMPILER_AST_AST_H
#define COMPILER_AST_AST_H

#include "compiler/base/str.h"
#include "compiler/source/source.h"

/* --- values ----------------------------------------------------------- */

enum ast_value_kind {
	AST_V_STRING,  /* "…"; text is decoded.  \$ stays "\$", so that sema can
	                  tell it from an expansion.  A pattern keeps other
	                  backslashes only if the source doubles them */
	AST_V_RAW,     /* r"…": no escapes and no ${} */
	AST_V_REGEX,   /* /…/flags: text is what stands between the slashes */
	AST_V_NUMBER,  /* 4G 60s 0x1f 2.0 -1: text as written */
	AST_V_RANGE,   /* 80-443 */
	AST_V_DATE,    /* 2027-01-01 */
	AST_V_ADDR,    /* 10.0.0.0/8 ::1 */
	AST_V_NAME,    /* a bare name: a keyword value, a let, a constant */
	AST_V_GROUP,   /* @name, text without the @ */
	AST_V_OPTION,  /* -f --force --data* */
	AST_V_OPTSPEC, /* -o|--output: */
	AST_V_PATH,    /* std/base ./x: a `use` path */
	AST_V_ANY,     /* `any` or `*` */
	AST_V_CALL,    /* NAME(args): a system call; text is the name */
	AST_V_LIST,    /* [ … ]: items */
	AST_V_MAP      /* { k = v … }: items, each with its key */
};

struct ast_expr;

struct ast_value {
	enum ast_value_kind kind;
	struct span at;
	struct str text;
	struct str flags;         /* AST_V_REGEX */
	struct str key;           /* in a map */
	struct ast_value *items;  /* LIST, MAP */
	struct ast_expr *args;    /* CALL, in order; NULL items: see AST_X_ANY */
	struct ast_value *next;
};

/* --- conditions: one grammar for `when` and for arguments ------------- */

enum ast_expr_op {
	AST_X_NAME, AST_X_NUMBER, AST_X_RANGE, AST_X_STRING, AST_X_GROUP,
	AST_X_ANY,                          /* `*` as an argument */
	AST_X_LIST,                         /* [ a, b ]: kids */
	AST_X_OR, AST_X_AND, AST_X_NOT,     /* kids: two, two, one */
	AST_X_EQ, AST_X_NE, AST_X_LT, AST_X_LE, AST_X_GT, AST_X_GE, AST_X_IN,
	AST_X_BITOR, AST_X_BITAND
};

struct ast_expr {
	enum ast_expr_op op;
	struct span at;
	unsigned depth;         /* of the tree of which it is the root */
	struct str text;        /* leaves; STRING: without interpolation */
	struct ast_expr *kids;  /* linked by next */
	struct ast_expr *next;  /* in an argument list or a LIST */
};

/* --- statements -------------------------------------------------------- */

enum ast_effect { AST_ALLOW, AST_ASK, AST_DENY, AST_HIDE };
enum ast_op { AST_OP_READ = 1, AST_OP_WRITE = 2, AST_OP_EXEC = 4 };

enum ast_section_kind {
	AST_SEC_COMMAND, AST_SEC_FILE, AST_SEC_NETWORK, AST_SEC_UNIX,
	AST_SEC_SYSCALL, AST_SEC_LIMITS, AST_SEC_ENV, AST_SEC_AUDIT,
	AST_SEC_SESSION, AST_SEC_RUNNER, AST_SEC_TOOLS,
	AST_SEC_COUNT
};

/* The options of a statement; they stand after it. */
enum ast_opt_kind {
#define OPTION(id, words, where, often) AST_O_##id,
#include "compiler/ast/options.def"
#undef OPTION
};

enum {
	AST_OPTION_KINDS = 0
#define OPTION(id, words, where, often) +1
#include "compiler/ast/options.def"
#undef OPTION
};

enum ast_option_where {
	AST_WHERE_RULE = 1, AST_WHERE_COMMAND = 2, AST_WHERE_SYSCALL = 4, AST_WHERE_NETWORK = 8,
	AST_WHERE_RISK = 16, AST_WHERE_INERT = 32, AST_WHERE_ASSERT = 64,
	AST_WHERE_ASSERT_COMMAND = 128
};

/* The rows of options.def, by kind. */
extern const struct ast_option_row {
	const char *words;
	unsigned where; /* enum ast_option_where: where this version uses it */
	bool adds;      /* may be repeated; the values add up */
} ast_option_rows[AST_OPTION_KINDS];

struct ast_option {
	enum ast_opt_kind kind;
	struct span at;
	struct ast_value *values;
	struct ast_expr *expr;
	struct ast_option *next;
};

/* What a network rule matches; each part may be missing. */
struct ast_net {
	struct ast_value *proto; /* NAME tcp or udp, or NULL */
	struct ast_value *hosts; /* STRING, RAW, ADDR, NAME, GROUP, ANY; or NULL */
	struct ast_value *ports; /* NUMBER, RANGE; or NULL */
};

/* One line of a program table (`global -C: --git-dir:`). */
enum ast_prog_kind {
	AST_P_GLOBAL, AST_P_OPTIONS, AST_P_SKIP, AST_P_CODE, AST_P_CODE_OPERAND,
	AST_P_CODE_STDIN, AST_P_QUERY, AST_P_MOVES, AST_P_RUNS, AST_P_LEADS,
	AST_P_READS, AST_P_READS_OPERAND, AST_P_WRITES, AST_P_WRITES_OPERAND,
	AST_P_SCRIPT, AST_P_SCRIPT_OPERAND, AST_P_SCRIPT_DEFAULT,
	AST_P_TREES, AST_P_TREES_OPERAND,
	AST_P_BEGINS, AST_P_BEGINS_OPERAND, AST_P_BELOW, AST_P_BELOW_OPERAND,
	AST_P_UNPACKS, AST_P_UNPACKS_OPERAND,
	AST_P_NAMES_FROM, AST_P_NAMES_FROM_OPERAND,
	AST_P_INSTEAD, AST_P_EDITS, AST_P_AFTER,
	AST_P_ENDS_AT, AST_P_ALSO, AST_P_SHELL,
	AST_P_FLAG /* transparent abbreviate no-cluster posix assignments joined
	              appends dashed versions abbreviate-commands stays elsewhere no-end
	              booleans one-dash away whole-trees
	              makes-nothing writes-unnamed sed-script
	              awk-script:
	              text in values */
};

struct ast_prog_item {
	enum ast_prog_kind kind;
	struct span at;
	struct ast_value *values; /* option specs, strings, a number, a flag name */
	struct ast_value *when;   /* REGEX or NULL */
	struct ast_prog_item *next;
};

enum ast_request_kind {
	AST_R_COMMAND, /* values: one string */
	AST_R_ARGV,    /* values: strings */
	AST_R_FILE,    /* op, values: one string */
	AST_R_NET,     /* net */
	AST_R_UNIX,    /* values: one string */
	AST_R_SYSCALL, /* values: one NAME or CALL */
	AST_R_TOOL,    /* values: one name */
	AST_R_SETTING  /* values: one name */
};

struct ast_request {
	enum ast_request_kind kind;
	struct span at;
	unsigned ops; /* enum ast_op bits */
	struct ast_net net;
	struct ast_value *values;
};

struct ast_test_case {
	struct span at;
	struct ast_request request;
	enum ast_effect want;
	struct ast_value *by; /* NAME or NULL */
	struct ast_test_case *next;
};

enum ast_assert_kind { AST_NEVER, AST_ALWAYS, AST_ONLY };

enum ast_stmt_kind {
	/* top level */
	AST_POLICY,  /* name, body: AST_PAIR each */
	AST_USE,     /* values: PATH, NAME or STRING each */
	AST_LET,     /* name, values: one */
	AST_GROUP,   /* name (without @), values */
	AST_SECTION, /* section, locked, body; mode for `network NAME` */
	AST_ROLE,    /* name, body: top-level statements */
	AST_TOOL,    /* name, body: AST_TOOL_EFFECT, AST_PAIR */
	AST_ALERT,   /* name, expr, per (NUMBER or NULL), action (NAME) in values */
	AST_SETTING, /* name, values: one; append, locked */
	AST_ASSERT,  /* assert_kind, effect (ALWAYS), set in `request` + options */
	AST_TEST,    /* name, expr or NULL, cases */
	/* in sections */
	AST_RULE,    /* effect, final, ops (file), values or net, options */
	AST_OTHERWISE,        /* effect, ops (0: all), locked; command: options: WHEN or none */
	AST_OTHERWISE_BY_RISK,/* pairs: NAMEs, key the class, text the effect; locked; options */
	AST_RISK,    /* name (class), values, options */
	AST_PROGRAM, AST_WRAPPER, AST_INTERPRETER, /* values: names; items */
	AST_TAINT, AST_SAFE,  /* values: names */
	AST_INERT,   /* values, options */
	AST_PIN,     /* name, values: path [, digest] */
	AST_SHELL,   /* name, values: path or none */
	AST_OPAQUE,  /* effect, locked; options: WHEN or none */
	AST_SCRATCH, /* values */
	AST_MOUNT,   /* values: host, at; ops */
	AST_MODE,    /* name, locked (network) */
	AST_VIA,     /* values: one, options: VIA_USER or none (network) */
	AST_HOLD,    /* values: one NUMBER, locked (network) */
	AST_PUBLISH, AST_NOT_PUBLISH, /* values: ports (network) */
	AST_PAIR,    /* name (key), values: one, append, locked */
	AST_KEEP,    /* values: names, append, locked (env) */
	AST_SET,     /* name, values: one, locked (env) */
	AST_SECRET,  /* name, values: source NAME, argument STRING; locked (env) */
	AST_RATE,    /* name, values: one count; per; locked (session) */
	AST_ROUTE,   /* values: classes; name: runner; has_else, effect (runner) */
	AST_RUNNER,  /* name, body (runner) */
	AST_TOOL_EFFECT /* effect (tool) */
};

struct ast_stmt {
	enum ast_stmt_kind kind;
	struct span at;      /* the whole statement */
	struct span name_at;
	struct str name;
	enum ast_section_kind section;
	enum ast_effect effect;
	enum ast_assert_kind assert_kind;
	unsigned ops;        /* enum ast_op bits; 0: none written */
	bool locked, final, append, has_else;
	struct ast_value *values;
	struct ast_value *pairs;
	struct ast_value *per;
	struct ast_net net;
	struct ast_option *options;
	struct ast_prog_item *items;
	struct ast_request request;
	struct ast_test_case *cases;
	struct ast_expr *expr;
	struct ast_stmt *body;
	struct ast_stmt *next;
};

struct ast_file {
	uint32_t source;        /* file number in the source map */
	struct ast_stmt *stmts;
	const struct span *comments; /* in source order, from '#' to the line's end */
	size_t ncomments;
};

#endif
