/*
 * libpol: decisions of a compiled policy, in your own process.
 *
 *   pol_open()      a bundle, verified as polrun verifies it
 *   pol_ctx_new()   the memory of one thread
 *   pol_decide()    a request; nothing is allocated, nothing is run or opened
 *   pol_explain()   why, as JSON or as text
 *
 * Link with `pkg-config --cflags --libs pol`; doc/libpol.md has an example.
 *
 * Threads.  A bundle is const once it is open: any number of threads may use it
 * at the same time.  A context belongs to one thread at a time.  The library
 * has no global state, and neither installs signal handlers nor prints.
 *
 * Errors.  Functions that return int return 0, or a negative errno and, where
 * `err` is not NULL, a line of text.  An error is no decision: whoever asks must
 * not take it for a yes.  Outputs other than `err` are touched on success only;
 * *ret of pol_decide() is a deny on every error.
 *
 * Sizes.  Each struct begins with its size, which the caller sets to
 * sizeof(struct …).  A library that is newer than the program takes what the
 * program does not have as zero, and fills no byte behind it.  One that is older
 * refuses (-E2BIG) a request or options with something in what it does not
 * know, and leaves zeros in the rest of what it fills.
 *
 * Text is bytes; where a struct has no length beside it, it ends with a NUL.
 */
#ifndef POL_H
#define POL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define POL_API __attribute__((visibility("default")))
#else
#define POL_API
#endif

/* --- errors ------------------------------------------------------------------- */

struct pol_error {
	size_t size;
	int32_t code;   /* errno, positive */
	char text[400]; /* one line without a newline, control bytes escaped */
};

/* "0.1.0"; static. */
POL_API const char *pol_version(void);

/* --- bundles ------------------------------------------------------------------- */

struct pol_bundle;

struct pol_options {
	size_t size;
	const char *allowed_signers; /* a list that counts instead of the user's and,
	                              * but for level managed, the machine's */
	const char *home;            /* whose list of signers counts; NULL: $HOME */
	int64_t now;                 /* seconds since 1970; 0: the clock's */
	int32_t require_signed;      /* not 0: refuse what no trusted key has signed */
};

/*
 * Reads and verifies a bundle: owner and mode of the file, digests, structure,
 * signatures, its days.  Whom to trust is the caller's word ($HOME, the real user id):
 * nothing for a set-user-ID program.  `opt` may be NULL.  The file may be replaced or
 * removed afterwards; nothing of `opt` is kept.
 * -ENOENT and other errnos of open(); -EBADMSG: damaged; -EPERM: owner or mode;
 * -ENOKEY, -EKEYREJECTED, -EKEYEXPIRED: signature and days; -ENOMEM.
 */
POL_API int pol_open(const char *path, const struct pol_options *opt,
		     struct pol_bundle **ret, struct pol_error *err);
/* The same of n bytes in memory, which are copied: whoever gives them vouches for
 * where they come from; all but owner and mode is verified. */
POL_API int pol_open_bytes(const void *bytes, size_t n, const struct pol_options *opt,
			   struct pol_bundle **ret, struct pol_error *err);
/* After the last context of it is freed.  NULL is harmless. */
POL_API void pol_close(struct pol_bundle *b);

struct pol_info {
	size_t size;
	const char *name;   /* of the policy; all texts live as long as the bundle */
	const char *digest; /* hex BLAKE2b-256 of the manifest */
	const char *role;   /* that it was compiled for, role_n bytes; none: 0 */
	size_t role_n;
	uint64_t serial;
	uint32_t nrules;    /* rules and scalars, numbered from 0 */
	int32_t is_signed;  /* by a trusted key */
};

POL_API void pol_info(const struct pol_bundle *b, struct pol_info *ret);
/* All settings, one JSON object; *ret lives as long as the bundle.  -ENOENT: none. */
POL_API int pol_settings(const struct pol_bundle *b, const char **ret, size_t *ret_n);

enum pol_effect { POL_ALLOW, POL_ASK, POL_DENY };
enum pol_risk { POL_LOW, POL_MEDIUM, POL_HIGH, POL_CRITICAL };

/* A rule, or a scalar (a mode, an `otherwise`).  Texts live as long as the bundle,
 * have no NUL at their end, and may hold any byte. */
struct pol_rule {
	size_t size;
	const char *id, *file, *text, *reason; /* reason: the rule's `because` */
	size_t id_n, file_n, text_n, reason_n;
	const char *level; /* static, with a NUL: "managed" … "default" */
	uint32_t line;     /* 0: a value that nobody wrote */
	int32_t effect;    /* enum pol_effect */
};

/* -ENOENT: the bundle has no such number. */
POL_API int pol_rule_get(const struct pol_bundle *b, uint32_t number,
			 struct pol_rule *ret);

/* --- contexts ------------------------------------------------------------------- */

struct pol_ctx;

/*
 * The memory in which one thread decides command lines of up to `line_max` bytes
 * (an argv: its words, each with its NUL): address space of 4.5 MiB and 3.2 KiB for each
 * byte of line_max, of which a line touches what it needs.  The bundle must outlive it.  -ENOMEM.
 */
POL_API int pol_ctx_new(const struct pol_bundle *b, size_t line_max,
			struct pol_ctx **ret, struct pol_error *err);
/* Makes room for longer lines; what the last decision told is gone.  -ENOMEM: it is
 * as it was. */
POL_API int pol_ctx_reserve(struct pol_ctx *c, size_t line_max, struct pol_error *err);
/* NULL is harmless. */
POL_API void pol_ctx_free(struct pol_ctx *c);

/* --- requests -------------------------------------------------------------------- */

enum pol_kind {
	POL_COMMAND = 1, /* line */
	POL_ARGV,        /* argv */
	POL_FILE,        /* op, path */
	POL_NET,         /* proto, host or addr, port */
	POL_UNIX,        /* path; with POL_ABSTRACT a name without its '@' */
	POL_SYSCALL,     /* name or nr, args; for POL_SANDBOX only */
	POL_TOOL,        /* name */
};

enum pol_scope {
	POL_SANDBOX = 1, /* polrun would run it */
	POL_HOST,        /* the program asks, and then acts by itself */
};

enum pol_op { POL_READ = 1, POL_WRITE = 2, POL_EXEC = 4 };
enum pol_proto { POL_TCP = 1, POL_UDP };

enum pol_flag {
	POL_ABSTRACT = 1 << 0,
	/* A root that is NULL does not exist: what patterns below it deny is not
	 * denied.  Without this flag that is an error, but for session_dir. */
	POL_NO_ROOT = 1 << 1,
};

/*
 * Paths are absolute, without ".", "..", "//" and a last '/', and are judged as
 * they stand: symbolic links must have been followed (pol_physical()).
 * Nothing is kept after pol_explain() and pol_part_get() are done with it.
 */
struct pol_request {
	size_t size;
	uint32_t kind;    /* enum pol_kind */
	uint32_t scope;   /* enum pol_scope */
	uint32_t flags;   /* enum pol_flag */
	uint32_t op;      /* one of enum pol_op */
	uint32_t proto;   /* enum pol_proto */
	uint32_t port;    /* 1 … 65535 */
	uint32_t nr;      /* of x86_64, where name is NULL */
	uint32_t unused;  /* 0 */
	const char *line; /* shell text of line_n bytes, in the bundle's dialect */
	size_t line_n;
	const char *const *argv; /* argc words, the program first */
	size_t argc;
	const char *path;
	const char *host;    /* an address, or a name in its ASCII form */
	const uint8_t *addr; /* 16 bytes, IPv4 as ::ffff:a.b.c.d; counts before host */
	const char *name;
	const char *role;    /* NULL: not said; else the bundle's, or -EINVAL */
	/* Commands, files and sockets.  cwd: commands only, NULL: not known, and
	 * relative paths are opaque. */
	const char *cwd, *home, *project, *tmpdir, *session_dir;
	uint64_t args[6];
};

#define POL_NO_RULE UINT32_MAX

struct pol_decision {
	size_t size;
	int32_t effect;        /* enum pol_effect; what is hidden is denied */
	int32_t risk;          /* enum pol_risk of commands and tools, else -1 */
	uint32_t rule;         /* number of the one that decided, or POL_NO_RULE */
	uint32_t nmatched;     /* rules that match; pol_matched() has the first 64 */
	uint32_t nparts;       /* of a command: what the line may run or open */
	int32_t err;           /* system calls: the errno that a denied one gets */
	uint8_t hidden;        /* a file that looks absent */
	uint8_t needs_person;  /* an ask that no program may answer */
	uint8_t unparsed;      /* a line that cannot be read */
	uint8_t past_limit;    /* a line past a limit, therefore denied */
};

/*
 * Decides.  Allocates nothing.  -EINVAL: what is no request, with the field's
 * name in the text; -E2BIG: a line longer than the context has room for;
 * -ENOTSUP: the bundle does not know (a host name whose addresses get different
 * answers, rules of the network that are for sandboxes only).
 *
 * Time is linear in the line; one without special cost takes some microseconds.
 */
POL_API int pol_decide(struct pol_ctx *c, const struct pol_request *q,
		       struct pol_decision *ret, struct pol_error *err);

/* The k-th rule that matched in the last decision, in order; POL_NO_RULE: no more. */
POL_API uint32_t pol_matched(const struct pol_ctx *c, uint32_t k);

/* One thing that a line may run, open or connect to. */
struct pol_part {
	size_t size;
	const char *kind; /* "command", "file", "net", "unparsed"; static */
	const char *text; /* of the line, text_n bytes; NULL: not in it */
	size_t text_n;
	const char *why;  /* what decided where that is no rule, or ""; static */
	uint32_t rule;    /* or POL_NO_RULE */
	int32_t effect;   /* enum pol_effect */
	int32_t risk;     /* enum pol_risk of commands, else -1 */
};

/* The k-th part of the last line, until the next decision and while the line
 * lives; the time grows with k.  -ENOENT: no more. */
POL_API int pol_part_get(const struct pol_ctx *c, uint32_t k, struct pol_part *ret);

enum pol_format {
	POL_JSON = 1, /* one line with the keys of polquery's answers, but "id" */
	POL_TEXT,     /* lines for people, control bytes escaped */
};

/*
 * The last decision and what led to it, into `cap` bytes with a NUL.  *ret_n is
 * the whole length without the NUL; -ENOSPC: `cap` is not more than that, and
 * buf holds the beginning.  Allocates nothing.  The request's texts must still be
 * there.  -ENOENT: nothing has been decided.
 */
POL_API int pol_explain(const struct pol_ctx *c, uint32_t format, char *buf, size_t cap,
			size_t *ret_n);

/* --- where ---------------------------------------------------------------------- */

#define POL_PATH_MAX 4096

/*
 * The physical path of an absolute one: symbolic links in what exists of it are
 * followed, the rest stays.  -ELOOP: a link that leads nowhere.
 */
POL_API int pol_physical(const char *path, char ret[POL_PATH_MAX]);
/* The project of a working directory as polrun finds it, both physical: the nearest
 * ancestor below `home` with .pol or .git, else `cwd`. */
POL_API int pol_project(const char *cwd, const char *home, char ret[POL_PATH_MAX]);

#ifdef __cplusplus
}
#endif

#endif
