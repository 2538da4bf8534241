/*
 * libpol: asks a compiled policy for decisions, in your own process.
 *
 *   pol_open()      opens a bundle, verified as polrun verifies it
 *   pol_ctx_new()   makes the memory of one thread
 *   pol_decide()    decides a request; allocates nothing, runs and opens nothing
 *   pol_explain()   says why, as JSON or as text
 *
 * Link with `pkg-config --cflags --libs pol`; doc/libpol.md has an example.
 *
 * Threads. An open bundle is const: any number of threads may use it at the same time. A
 * context belongs to one thread at a time. The library has no global state, installs no
 * signal handlers and prints nothing.
 *
 * Errors. Functions that return int return 0 or a negative errno. If `err` is not NULL,
 * an error also fills it with a line of text. An error is not a decision: the caller must
 * not take it for a yes. Outputs other than `err` are only touched on success; *ret of
 * pol_decide() is a deny on every error.
 *
 * Sizes. Each struct begins with its size, which the caller sets to sizeof(struct …). If
 * the library is newer than the program, it reads missing fields as zero, and writes
 * nothing after the end of the program's struct. If the library is older, it refuses
 * (-E2BIG) a request or options with a field that is set and that it does not know. It
 * leaves zeros in the fields that it does not know in structs that it fills.
 *
 * Text is bytes. It ends with a NUL unless the struct has a length for it.
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
	const char *allowed_signers; /* a list of signers that replaces the user's, and,
	                              * except for level managed, the machine's */
	const char *home;            /* the home with the user's list of signers; NULL:
	                                $HOME */
	int64_t now;                 /* seconds since 1970; 0: use the clock */
	int32_t require_signed;      /* not 0: refuse a bundle that no trusted key has
	                                signed */
};

/*
 * Reads and verifies a bundle: owner and mode of the file, digests, structure,
 * signatures, validity in time. The caller says whom to trust ($HOME, the real user id),
 * so a set-user-ID program must not use this. `opt` may be NULL. Afterwards the file may
 * be replaced or removed; nothing of `opt` is kept. Errors: -ENOENT and other errnos of
 * open(); -EBADMSG: damaged; -EPERM: owner or mode; -ENOKEY, -EKEYREJECTED, -EKEYEXPIRED:
 * signature and validity; -ENOMEM.
 */
POL_API int pol_open(const char *path, const struct pol_options *opt,
		     struct pol_bundle **ret, struct pol_error *err);
/* The same for n bytes in memory, which are copied. All but owner and mode is verified:
 * the caller vouches for where the bytes come from. */
POL_API int pol_open_bytes(const void *bytes, size_t n, const struct pol_options *opt,
			   struct pol_bundle **ret, struct pol_error *err);
/* Call it after the bundle's last context is freed. NULL is harmless. */
POL_API void pol_close(struct pol_bundle *b);

struct pol_info {
	size_t size;
	const char *name;   /* name of the policy; all texts live as long as the bundle */
	const char *digest; /* hex BLAKE2b-256 of the manifest */
	const char *role;   /* the role for which it was compiled, role_n bytes; none:
	                       0 */
	size_t role_n;
	uint64_t serial;
	uint32_t nrules;    /* rules and scalars, numbered from 0 */
	int32_t is_signed;  /* signed by a trusted key */
};

POL_API void pol_info(const struct pol_bundle *b, struct pol_info *ret);
/* All settings as one JSON object; *ret lives as long as the bundle. -ENOENT: there are
 * none. */
POL_API int pol_settings(const struct pol_bundle *b, const char **ret, size_t *ret_n);

enum pol_effect { POL_ALLOW, POL_ASK, POL_DENY };
enum pol_risk { POL_LOW, POL_MEDIUM, POL_HIGH, POL_CRITICAL };

/* A rule, or a scalar (a mode, an `otherwise`). Its texts live as long as the bundle, are
 * not NUL-terminated, and may hold any byte. */
struct pol_rule {
	size_t size;
	const char *id, *file, *text, *reason; /* reason: the rule's `because` */
	size_t id_n, file_n, text_n, reason_n;
	const char *level; /* static, NUL-terminated: "managed" … "default" */
	uint32_t line;     /* 0: a built-in value that nobody wrote */
	int32_t effect;    /* enum pol_effect */
};

/* -ENOENT: the bundle has no rule with this number. */
POL_API int pol_rule_get(const struct pol_bundle *b, uint32_t number,
			 struct pol_rule *ret);

/* --- contexts ------------------------------------------------------------------- */

struct pol_ctx;

/*
 * The memory in which one thread decides command lines of up to `line_max` bytes (for an
 * argv: its words, each with its NUL). It takes 4.5 MiB of address space, and 3.2 KiB for
 * each byte of line_max; a line touches only what it needs. The bundle must outlive it.
 * -ENOMEM.
 */
POL_API int pol_ctx_new(const struct pol_bundle *b, size_t line_max,
			struct pol_ctx **ret, struct pol_error *err);
/* Makes room for longer lines; the details of the last decision are lost. -ENOMEM: the
 * context is unchanged. */
POL_API int pol_ctx_reserve(struct pol_ctx *c, size_t line_max, struct pol_error *err);
/* NULL is harmless. */
POL_API void pol_ctx_free(struct pol_ctx *c);

/* --- requests -------------------------------------------------------------------- */

enum pol_kind {
	POL_COMMAND = 1, /* line */
	POL_ARGV,        /* argv */
	POL_FILE,        /* op, path */
	POL_NET,         /* proto, host or addr, port */
	POL_UNIX,        /* path; with POL_ABSTRACT an abstract name without its '@' */
	POL_SYSCALL,     /* name or nr, args; for POL_SANDBOX only */
	POL_TOOL,        /* name */
};

enum pol_scope {
	POL_SANDBOX = 1, /* polrun would run it */
	POL_HOST,        /* the program asks and then acts by itself */
};

enum pol_op { POL_READ = 1, POL_WRITE = 2, POL_EXEC = 4 };
enum pol_proto { POL_TCP = 1, POL_UDP };

enum pol_flag {
	POL_ABSTRACT = 1 << 0,
	/* A root that is NULL does not exist: rules that deny something below it do not
	 * apply. Without this flag a missing root is an error, except session_dir. */
	POL_NO_ROOT = 1 << 1,
};

/*
 * Paths are absolute, without ".", "..", "//" and a trailing '/'. They are judged as they
 * are: the caller must have followed symbolic links (pol_physical()). The request's texts
 * are used until pol_explain() and pol_part_get() are done; nothing is kept after that.
 */
struct pol_request {
	size_t size;
	uint32_t kind;    /* enum pol_kind */
	uint32_t scope;   /* enum pol_scope */
	uint32_t flags;   /* enum pol_flag */
	uint32_t op;      /* one of enum pol_op */
	uint32_t proto;   /* enum pol_proto */
	uint32_t port;    /* 1 … 65535 */
	uint32_t nr;      /* on x86_64, if name is NULL */
	uint32_t unused;  /* 0 */
	const char *line; /* shell text of line_n bytes, in the bundle's dialect */
	size_t line_n;
	const char *const *argv; /* argc words, the program first */
	size_t argc;
	const char *path;
	const char *host;    /* an address, or a name in its ASCII form */
	const uint8_t *addr; /* 16 bytes, IPv4 as ::ffff:a.b.c.d; takes precedence over
	                        host */
	const char *name;
	const char *role;    /* NULL: not given; else it must be the bundle's, or
	                        -EINVAL */
	/* For commands, files and sockets. cwd is for commands only; if it is NULL, it is
	 * not known, and relative paths are opaque. */
	const char *cwd, *home, *project, *tmpdir, *session_dir;
	uint64_t args[6];
	/* The socket of the caller's ssh-agent; NULL: none, and rules about it match
	 * nothing. */
	const char *ssh_auth_sock;
	/* The repository to which the .git file of the project leads, if the project is a
	 * worktree or a submodule; NULL: none, and rules about it match nothing.
	 * pol_git_common_dir() finds it. */
	const char *git_common_dir;
};

#define POL_NO_RULE UINT32_MAX

struct pol_decision {
	size_t size;
	int32_t effect;        /* enum pol_effect; hidden counts as denied */
	int32_t risk;          /* commands and tools: enum pol_risk; else -1 */
	uint32_t rule;         /* number of the rule that decided, or POL_NO_RULE. Where
	                          nobody wrote `network otherwise`, the mode's */
	uint32_t nmatched;     /* number of matching rules; pol_matched() has the first
	                          64 */
	uint32_t nparts;       /* commands: number of parts, which the line may run or
	                          open */
	int32_t err;           /* system calls: the errno with which a denied one fails */
	uint8_t hidden;        /* a file that is made to look absent */
	uint8_t needs_person;  /* an ask that no program may answer */
	uint8_t unparsed;      /* a line that could not be read */
	uint8_t past_limit;    /* a limit was exceeded; the line is denied for that */
};

/*
 * Decides. Allocates nothing. -EINVAL: not a valid request; the text names the field.
 * -E2BIG: the line is longer than the context has room for. -ENOTSUP: the bundle cannot
 * tell (network rules that are for sandboxes only).
 *
 * Time is linear in the line; an ordinary line takes some microseconds.
 */
POL_API int pol_decide(struct pol_ctx *c, const struct pol_request *q,
		       struct pol_decision *ret, struct pol_error *err);

/* The k-th rule that matched in the last decision, in order; POL_NO_RULE: there are no
 * more. */
POL_API uint32_t pol_matched(const struct pol_ctx *c, uint32_t k);

/* One thing that a line may run, open or connect to. */
struct pol_part {
	size_t size;
	const char *kind; /* "command", "file", "net", "unparsed"; static */
	const char *text; /* from the line, text_n bytes; NULL: it is not in the line */
	size_t text_n;
	const char *why;  /* what decided, if it was not a rule; or ""; static */
	uint32_t rule;    /* number of the rule, or POL_NO_RULE */
	int32_t effect;   /* enum pol_effect */
	int32_t risk;     /* commands: enum pol_risk; else -1 */
};

/* The k-th part of the last line. It is valid until the next decision, while the line
 * lives. The time grows with k. -ENOENT: there are no more. */
POL_API int pol_part_get(const struct pol_ctx *c, uint32_t k, struct pol_part *ret);

enum pol_format {
	POL_JSON = 1, /* one line with the keys of polquery's answers, except "id" */
	POL_TEXT,     /* lines for people, control bytes escaped */
};

/*
 * Writes the last decision and what led to it into `cap` bytes, with a NUL. *ret_n is the
 * whole length without the NUL. -ENOSPC: it does not fit into `cap`, and buf holds the
 * beginning. Allocates nothing. The request's texts must still be there. -ENOENT: nothing
 * has been decided.
 */
POL_API int pol_explain(const struct pol_ctx *c, uint32_t format, char *buf, size_t cap,
			size_t *ret_n);

/* --- where ---------------------------------------------------------------------- */

#define POL_PATH_MAX 4096

/*
 * The physical path of an absolute path: follows symbolic links in the part that exists,
 * and keeps the rest. -ELOOP: a link leads nowhere.
 */
POL_API int pol_physical(const char *path, char ret[POL_PATH_MAX]);
/*
 * The repository of a project that is a worktree or a submodule of git, for the git_common_dir of a
 * request.  Both paths are physical.  -ENOENT: the project's .git leads to none; -EPERM: that repository
 * does not name the project, or is not the caller's own.  A request for such a project has NULL there.
 */
POL_API int pol_git_common_dir(const char *project, const char *home, char ret[POL_PATH_MAX]);
/* The project of a working directory, as polrun finds it: the nearest ancestor below
 * `home` with .pol or .git, else `cwd`. Both paths must be physical. */
POL_API int pol_project(const char *cwd, const char *home, char ret[POL_PATH_MAX]);

#ifdef __cplusplus
}
#endif

#endif
