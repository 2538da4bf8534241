/*
 * The words and sets of the IR: what a rule, an exception or a fact denotes.
 * Part of ir.h, which includes it.
 */
#ifndef COMPILER_IR_SET_H
#define COMPILER_IR_SET_H

#include "compiler/base/num.h"
#include "compiler/base/str.h"
#include "compiler/source/source.h"

/* --- words ------------------------------------------------------------- */

enum ir_kind {
	IR_COMMAND, IR_FILE, IR_NET, IR_UNIX, IR_SYSCALL, IR_TOOL,
	IR_KIND_COUNT
};

/* In order of strictness.  HIDE is a deny of every operation (files). */
enum ir_effect { IR_ALLOW, IR_ASK, IR_DENY, IR_HIDE, IR_EFFECT_COUNT };

/* Ranks: a smaller number decides over a larger one where precedence asks. */
enum ir_level {
	IR_MANAGED = 1, IR_MANAGED_FILE, IR_PROJECT, IR_USER, IR_DEFAULT,
	IR_LEVEL_COUNT
};

enum ir_op { IR_READ = 1, IR_WRITE = 2, IR_EXEC = 4, IR_ALL_OPS = 7 };

enum ir_scope { IR_SANDBOX = 1, IR_HOST = 2, IR_ALL_SCOPES = 3 };

enum ir_root {
	IR_ROOT_FS, IR_ROOT_HOME, IR_ROOT_PROJECT, IR_ROOT_SESSION, IR_ROOT_TMP,
	IR_ROOT_COUNT
};

enum ir_risk { IR_RISK_LOW, IR_RISK_MEDIUM, IR_RISK_HIGH, IR_RISK_CRITICAL,
	       IR_RISK_COUNT };

enum ir_mode { IR_NET_DISABLED, IR_NET_LIMITED, IR_NET_FULL };

/* Where a thing was said; `file` is as it was named, never absolute. */
struct ir_place {
	struct str file;
	uint32_t line, col; /* from 1 */
	struct span span;   /* SPAN_NONE when read back from a bundle */
};

/* --- sets --------------------------------------------------------------- */

/*
 * Words and paths.  Which bytes ONE and STAR match is the reader's business:
 * in a path not '/'; in a word any byte for deny and ask rules (and `except`
 * of an allow), only [A-Za-z0-9._:/@+-] for allow rules (and `except` of a
 * deny or ask).  NUL never.
 */
enum ir_glob_op {
	IR_G_BYTE, /* exactly `byte` */
	IR_G_ONE,  /* ?  */
	IR_G_STAR, /* *  any number of what ONE matches */
	IR_G_DEEP, /* ** in a path: any bytes, '/' too */
	IR_G_DIRS, /* a whole component ** and its '/': zero or more "name/" */
	IR_G_ALT   /* {a|b} or {a,b}: one of the alternatives */
};

struct ir_glob;

struct ir_glob_item {
	enum ir_glob_op op;
	uint8_t byte;
	struct ir_glob *alts; /* ALT */
	size_t nalts;
};

struct ir_glob {
	struct ir_glob_item *v;
	size_t n;
};

/*
 * A path pattern hangs off a root.  The rest of a path P under a root R is ""
 * for P == R, else what follows R, beginning with '/' (for the root "/" it is
 * P itself, "" for P == "/").  `glob` matches the whole rest; with `below`
 * also everything under what it matches.  A trailing "/" and a trailing "/ **"
 * component are no part of the glob.
 */
struct ir_path {
	enum ir_root root;
	struct ir_glob glob;
	bool below;
	bool abstract;   /* unix: the glob is over the name without its '@' */
	struct str text; /* as written */
};

struct ir_word {
	bool any_words;      /* ** : any number of words, none too */
	struct ir_glob glob; /* otherwise one word */
};

/*
 * An option as a guard names it, dashes included ("-f", "--force", "--data*",
 * "-rf").  With `value` only where its value matches that.  A single dash and
 * several letters name that one option, or (where the program clusters) all of
 * the letters together.
 */
struct ir_option {
	struct ir_glob name;
	struct ir_glob *value; /* or NULL */
	struct str text;
};

enum ir_guard_kind {
	IR_GD_WITH,      /* one of the options is present */
	IR_GD_WITHOUT,   /* none is */
	IR_GD_WITH_ONLY, /* no other is */
	IR_GD_WITHIN     /* operands and option values are literal and lie in paths */
};

/* Under deny and ask it holds if any reading of the words fulfils it, under
 * allow if all do. */
struct ir_guard {
	enum ir_guard_kind kind;
	struct ir_option *options;
	size_t noptions;
	struct ir_path *paths; /* WITHIN */
	size_t npaths;
};

/*
 * A word list: words[0] is the program column.  Of a deny, ask (or `except` of
 * an allow) the option words are no words but guards.
 */
struct ir_command {
	struct ir_word *words;
	size_t nwords;
	bool tail;  /* ended in ":*" */
	bool more;  /* deny and ask: the last word "*" is one or more words */
	struct ir_guard *guards; /* all must hold */
	size_t nguards;
	/* A regular expression instead of words: searched in the words, joined by
	 * blanks (semantics 4.3). */
	bool regex;
	bool regex_i, regex_x; /* its flags */
	bool opaque;           /* not regular: PCRE2 decides, analyses know nothing */
	struct str text; /* of a regex: what stands between the slashes */
};

enum ir_proto { IR_TCP = 1, IR_UDP = 2, IR_ANY_PROTO = 3 };
enum ir_host_kind { IR_HOST_ANY, IR_HOST_NAME, IR_HOST_BELOW, IR_HOST_CIDR };

struct ir_net {
	unsigned protos;        /* enum ir_proto bits */
	enum ir_host_kind host;
	struct str name;        /* NAME exact; BELOW: "example.com" for *.example.com; lower case */
	struct num_cidr cidr;
	uint16_t port_lo, port_hi;
	struct num_cidr *within; /* ranges that a name may resolve to */
	size_t nwithin;
};

/* Conditions over six arguments. A compare is (arg & mask) OP value, unsigned,
 * on the low `width` bits; the bits above are not looked at. */
enum ir_cond_op { IR_C_TRUE, IR_C_FALSE, IR_C_AND, IR_C_OR, IR_C_NOT, IR_C_CMP };
enum ir_cmp { IR_EQ, IR_NE, IR_LT, IR_LE, IR_GT, IR_GE };

struct ir_cond {
	enum ir_cond_op op;
	struct ir_cond *a, *b; /* AND, OR: both; NOT: a */
	uint8_t arg;           /* 0..5 */
	uint8_t width;         /* 32 or 64 */
	enum ir_cmp cmp;
	uint64_t mask, value;
};

struct ir_syscall {
	uint32_t nr;          /* x86_64 */
	struct str name;
	struct ir_cond *cond; /* NULL: whatever the arguments are */
};

/* One set of requests of the rule's kind. */
struct ir_set {
	union {
		struct ir_command command;
		struct {
			unsigned ops; /* exactly one enum ir_op bit; HIDE: all */
			struct ir_path path;
		} file;
		struct ir_net net;
		struct ir_path unix_path;
		struct ir_syscall syscall;
		struct {
			struct ir_glob glob;
			struct str text;
		} tool;
	} u;
};

#endif
