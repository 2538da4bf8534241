/*
 * The command line of polc as data: one table of the options of all verbs, and what
 * options_read() makes of a command line.
 */
#ifndef COMPILER_CLI_OPTIONS_H
#define COMPILER_CLI_OPTIONS_H

#include <stdio.h>

#include "compiler/base/arena.h"
#include "compiler/base/vec.h"
#include "compiler/ir/ir.h"
#include "compiler/sema/sema.h"
#include "runtime/base/optspec.h"

/* Exit statuses (doc/man), the same for every verb. */
enum cli_exit {
	CLI_CLEAN = 0,    /* or allow */
	CLI_FINDINGS = 1, /* or deny */
	CLI_TROUBLE = 2,  /* usage, I/O */
	CLI_ASK = 3,
	CLI_TRUST = 4,
	CLI_UNDECIDED = 5,
	CLI_INTERNAL = 70
};

enum cli_verb { CLI_CHECK, CLI_COMPILE, CLI_EXPLAIN, CLI_DUMP, CLI_INSPECT,
		CLI_EFFECTIVE, CLI_FMT, CLI_CONVERT, CLI_SIGN, CLI_VERIFY, CLI_DIFF,
		CLI_TRUSTED, CLI_INIT, CLI_EMIT, CLI_PROVE, CLI_EXPOSURE, CLI_VERB_COUNT };

enum cli_color { CLI_COLOR_AUTO, CLI_COLOR_ALWAYS, CLI_COLOR_NEVER };

enum cli_format { CLI_TEXT, CLI_JSON, CLI_YAML, CLI_MARKDOWN, CLI_HTML };

struct options {
	enum cli_verb verb;
	bool help, version, json, verbose, no_sources, fail_on_warning;
	bool no_nft_batch;             /* compile */
	bool fail_on_widening;         /* diff; if false, any difference fails */
	enum cli_color color;
	enum cli_format format;        /* effective, diff; `json` is set for JSON */
	VEC(struct sema_input) inputs; /* sources, in the order of the command line */
	const char *bundle;            /* the only FILE.polb, or NULL */
	bool of_revision;              /* the bundle is REV:FILE.polb (revision.h) */
	const char *sides[2];          /* diff: OLD and NEW; `inputs` belong to both */
	size_t nsides;
	const char *against;           /* check: the ceiling; compile: the bundle before; or
	                                  NULL */
	const char *assertion;         /* prove, or NULL */
	VEC(const char *) traffic;     /* diff: the files of --traffic */
	bool has_max;                  /* exposure: --max was given */
	uint64_t max;
	bool discover;
	const char *discover_dir;      /* NULL: the working directory */
	const char *fallback;          /* std/…: if nobody has written a policy; or NULL */
	bool unnamed;                  /* both of them, since no policy was named */
	enum ir_scope scope;
	const char *role;              /* --role, or NULL */
	const char *root[IR_ROOT_COUNT]; /* --root, or NULL */
	const char *cwd;               /* explain; NULL: the project */
	enum ir_level why_level;       /* explain: --why-not; 0: not given */
	const char *output;            /* compile */
	const char *inputs_list;       /* compile: --inputs, or NULL */
	const char *after;             /* dump */
	const char *section;           /* inspect */
	bool write, check, diff;       /* fmt */
	bool list, revoke;             /* trust */
	const char *to;                /* convert, emit; NULL: not given */
	bool to_yaml;                  /* convert */
	const char *uid, *cgroup;      /* emit; or NULL */
	bool loopback, strict;         /* emit */
	uint64_t serial;
	const char *expires, *not_before;
	const char *key;               /* sign; compile: --sign, or NULL */
	const char *reproduce;         /* compile: the bundle to make again, or NULL */
	const char *previous;          /* compile: the bundle before, or NULL */
	const char *signers;           /* verify: --allowed-signers, or NULL */
	const char *principal;         /* verify; or NULL */
	int64_t created;               /* -1: not given */
	const char *const *request;    /* explain: the words of the request */
	size_t nrequest;
};

/* The table of the options of all verbs. */
const struct optspec *options_specs(size_t *ret_n);
/* Prints what `polc VERB --help` says about the options. */
void options_help(FILE *out, enum cli_verb verb);
/* Is text on this stream to be coloured? */
bool options_colour(const struct options *o, FILE *out);
/* Does the verb take a bundle, under any name, and no sources? */
bool options_wants_bundle(enum cli_verb v);
/* The words that begin a REQUEST, NULL-ended. */
extern const char *const options_requests[];

#endif
