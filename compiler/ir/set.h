/*
 * The words and sets of the IR: what a rule, an exception or a fact stands for.  Part
 * of ir.h, which includes this file.
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

/* In order of strictness.  HIDE also denies every operation (files). */
enum ir_effect { IR_ALLOW, IR_ASK, IR_DENY, IR_HIDE, IR_EFFECT_COUNT };

/* Ranks: where precedence counts, a smaller number wins over a larger one. */
enum ir_level {
	IR_MANAGED = 1, IR_MANAGED_FILE, IR_PROJECT, IR_USER, IR_DEFAULT,
	IR_LEVEL_COUNT
};

enum ir_op { IR_READ = 1, IR_WRITE = 2, IR_EXEC = 4, IR_ALL_OPS = 7 };

enum ir_scope { IR_SANDBOX = 1, IR_HOST = 2, IR_ALL_SCOPES = 3 };

enum ir_root {
	IR_ROOT_FS, IR_ROOT_HOME, IR_ROOT_PROJECT, IR_ROOT_SESSION, IR_ROOT_TMP,
	IR_ROOT_AGENT, /* the socket of the caller's ssh-agent; in unix rules only, with
	                  nothing behind it */
	IR_ROOT_GIT,   /* the repository to which the project's .git file leads, and that leads
	                  back to the project (git_common.h) */
	IR_ROOT_COUNT
};

enum ir_risk { IR_RISK_LOW, IR_RISK_MEDIUM, IR_RISK_HIGH, IR_RISK_CRITICAL,
	       IR_RISK_COUNT };

enum ir_mode { IR_NET_DISABLED, IR_NET_LIMITED, IR_NET_FULL };

/* Where something was written; `file` is the name that was given, never made absolute. */
struct ir_place {
	struct str file;
	uint32_t line, col; /* from 1 */
	struct span span;   /* SPAN_NONE when read back from a bundle */
};

/* --- sets --------------------------------------------------------------- */

/*
 * Words and paths.  The reader decides which bytes ONE and STAR match: in a path any
 * byte but '/'; in a word any byte for deny and ask rules (and `except` of an allow),
 * only [A-Za-z0-9._:/@+-] for allow rules (and `except` of a deny or ask).  They never
 * match NUL.
 */
enum ir_glob_op {
	IR_G_BYTE, /* exactly `byte` */
	IR_G_ONE,  /* ?  */
	IR_G_STAR, /* *  any number of what ONE matches */
	IR_G_DEEP, /* ** in a path: any bytes, including '/' */
	IR_G_DIRS, /* ** as a whole component, with its '/': zero or more "name/" */
	IR_G_ALT   /* {a|b} or {a,b}: one of the alternatives */
};

struct ir_glob;

struct ir_glob_item {
	enum ir_glob_op op;
	uint8_t byte;
	struct ir_glob *alts; /* for ALT */
	size_t nalts;
};

struct ir_glob {
	struct ir_glob_item *v;
	size_t n;
};

/*
 * A path pattern is relative to a root.  The rest of a path P under a root R is "" for
 * P == R, else what follows R, beginning with '/' (for the root "/" the rest is P
 * itself, and "" for P == "/").  `glob` matches the whole rest; with `below`, also
 * everything below what it matches.  A trailing "/" or "/ **" is not part of the glob.
 */
struct ir_path {
	enum ir_root root;
	struct ir_glob glob;
	bool below;
	bool abstract;   /* unix: the glob matches the name without its '@' */
	struct str text; /* as written */
};

struct ir_word {
	bool any_words;      /* **: any number of words, including none */
	struct ir_glob glob; /* if not any_words: one word */
};

/*
 * An option as a guard names it, with its dashes ("-f", "--force", "--data*", "-rf").
 * If there is a `value`, only an option whose value matches it counts.  A single dash
 * with several letters names that one option, or (where the program allows clusters)
 * all of the letters together.
 */
struct ir_option {
	struct ir_glob name;
	struct ir_glob *value; /* or NULL */
	struct str text;
};

enum ir_guard_kind {
	IR_GD_WITH,      /* one of the options must be present */
	IR_GD_WITHOUT,   /* none of the options may be present */
	IR_GD_WITH_ONLY, /* no other option may be present */
	IR_GD_WITHIN     /* operands and option values are literal, in the paths */
};

/* Under deny and ask, a guard holds if some reading of the words satisfies it; under
 * allow, if every reading does. */
struct ir_guard {
	enum ir_guard_kind kind;
	struct ir_option *options;
	size_t noptions;
	struct ir_path *paths; /* for WITHIN */
	size_t npaths;
};

/*
 * A list of words; words[0] is the program column.  In a deny, an ask and `except` of
 * an allow, option words become guards.
 */
struct ir_command {
	struct ir_word *words;
	size_t nwords;
	bool tail;  /* the pattern ended in ":*" */
	bool more;  /* deny and ask: the last word "*" is one or more words */
	struct ir_guard *guards; /* all of them must hold */
	size_t nguards;
	/* A regular expression instead of words.  It is searched in the words joined by
	 * blanks (semantics 4.3). */
	bool regex;
	bool regex_i, regex_x; /* its flags */
	bool opaque;           /* not regular: PCRE2 decides, analyses do not know */
	struct str text; /* for a regex: the text between the slashes */
};

enum ir_proto { IR_TCP = 1, IR_UDP = 2, IR_ANY_PROTO = 3 };
enum ir_host_kind { IR_HOST_ANY, IR_HOST_NAME, IR_HOST_BELOW, IR_HOST_CIDR };

/* How far the gateway looks into a connection to a name before it lets it through. */
enum ir_peek {
	IR_PEEK_PORT, /* as its port says: TLS on 443 and 8443, HTTP on 80 and 8080 */
	IR_PEEK_NONE, /* not at all: the server speaks first */
	IR_PEEK_TLS, IR_PEEK_HTTP
};

/*
 * What the gateway does with the connections that a rule lets through, and how many it
 * lets through.  Only rules that allow or ask, and no soft ones, say something here; elsewhere
 * everything is empty or 0.  It decides no request.  Of the rules that let one connection
 * through, the first in order that says something counts, for each member alone (proxy and
 * its secret, and all of inject, are one).
 */
struct ir_grant {
	struct str via;        /* the proxy that takes them out: "http://HOST:PORT" with a
	                          name in lower case, an IPv6 address in brackets; "none":
	                          the rule wants no proxy, whatever other rules want; empty:
	                          it says nothing */
	struct str via_secret; /* the name of the secret with the proxy's "user:password";
	                          empty: the proxy asks for none */
	struct str header;     /* inject: the header's name; empty: nothing is injected */
	struct str prefix;     /* what stands before the secret in its value; may be empty */
	struct str secret;     /* inject: the name of the secret */
	uint16_t dial;         /* inject: the port that the gateway connects to, with TLS;
	                          the rule itself matches port 80; 0: nothing is injected */
	uint64_t bytes;        /* both ways together, for each run; 0: no limit */
	uint32_t connections;  /* for each run; 0: no limit */
	enum ir_peek peek;
};

struct ir_net {
	unsigned protos;        /* enum ir_proto bits */
	enum ir_host_kind host;
	struct str name;        /* NAME: exact; BELOW: "example.com" for *.example.com;
	                           in lower case */
	struct num_cidr cidr;
	uint16_t port_lo, port_hi;
	struct num_cidr *within; /* ranges to which a name may resolve; as in `grant`, only
	                            rules that allow or ask have any */
	size_t nwithin;
	struct ir_grant grant;
};

/* Conditions over six arguments.  A comparison is (arg & mask) OP value, unsigned, on
 * the low `width` bits; higher bits are ignored. */
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
	uint32_t nr;          /* number on x86_64 */
	struct str name;
	struct ir_cond *cond; /* NULL: any arguments */
};

/* A set of requests; its kind is that of the rule. */
struct ir_set {
	union {
		struct ir_command command;
		struct {
			unsigned ops; /* one enum ir_op bit; for HIDE all of them */
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

/* The path of a set of files or of Unix sockets. */
static inline const struct ir_path *ir_set_path(enum ir_kind kind, const struct ir_set *s)
{
	return kind == IR_FILE ? &s->u.file.path : &s->u.unix_path;
}

#endif
