/*
 * From a verified bundle to a confined child.  polrun fills struct
 * sandbox_run, asks for the view (which trees are readable, writable,
 * executable, hidden, and by which rules), shows it (--plan) or starts the
 * child with it.  The step table is runtime/sandbox/steps.c.
 */
#ifndef RUNTIME_SANDBOX_SANDBOX_H
#define RUNTIME_SANDBOX_SANDBOX_H

#include <stdbool.h>
#include <sys/types.h>

#include "runtime/base/err.h"
#include "runtime/base/repo.h"
#include "runtime/bundle/reader.h"
#include "runtime/decide/decide.h"

/* polinit before there is a plan. */
struct sandbox_ahead {
	pid_t pid; /* 0: none */
	int pidfd, sock;
};

struct sandbox_run {
	struct bundle *bundle;
	struct decide_ctx ctx;     /* roots are physical host paths; scope sandbox.
	                              HOME, PROJECT_DIR and cwd keep their paths
	                              inside; TMPDIR is "/tmp" inside */
	const char *cwd;           /* physical */
	const char *project_link;  /* path by which $PWD or --project reaches the
	                              project through a symbolic link, or NULL */
	const char *const *argv;   /* of the command; argv[0] as the caller wrote it */
	const char *exec_path;     /* where the lookup found it, absolute, inside;
	                              NULL: argv[0] is searched in envp's PATH */
	const char *const *envp;   /* already filtered (runtime/polrun/env.c) */
	/* what the next run believes and what the caller reads of this one (bundle,
	   list of signers, report): absolute, links as they were named, no ".." */
	const char *const *kept;
	size_t nkept;
	size_t nbelieved; /* the first of kept: what the next run believes.  Where the
	                     command could write at the name there is no view */
	const char *user_name;     /* for passwd and group inside */
	uid_t uid;                 /* the caller's, or --user's */
	gid_t gid;
	bool root_run;             /* capabilities in the initial user namespace and
	                              no --user: idmapped writable trees, host uid
	                              0x70000000 + pid, shown inside as 1000 */
	bool trace;                /* --explain-denials: load the trace filter */
	bool host_network;         /* the mode `full`: no network namespace */
	bool by_polnft;            /* a limited network's rules come by polnft_fd, not
	                              by the messages in the bundle */
	int polnft_fd;             /* opened before the clone, where by_polnft */
	bool want_listener;        /* false where none can be had: ERRNO instead */
	int polinit_fd;            /* opened before the clone */
	int landlock_abi;          /* 0: none */
	mode_t umask;
	struct sandbox_ahead *ahead; /* may be NULL; sandbox_start() takes it */
};

/* One place of the view, sorted by path (outer before inner). */
struct sandbox_node {
	char *path;          /* inside the sandbox; absolute */
	char *source;        /* below the place of a mount: its own name on the host;
	                        NULL: `path` is */
	uint8_t ops;         /* pb_op bits that are granted here and below */
	bool scratch;        /* a private, empty tree */
	bool masked;         /* exists on the host and shows nothing */
	bool absent;         /* does not exist on the host */
	bool is_dir;
	bool forced_ro;      /* over: read-only because of a wildcard or absent name */
	uint32_t rule[3];    /* deciding rule for read, write, exec; UINT32_MAX none */
	uint32_t forced_by;  /* the rule behind forced_ro */
	bool locked;         /* a name that the run made: empty, read-only */
	bool noted;          /* shown for --plan only: nothing is mounted here */
	/* what polrun saw on the host, held by pin_fd (O_PATH, -1 none) until
	   the view is released */
	uint64_t dev, ino;
	uint64_t at_dev, at_ino; /* of what it is mounted on, in a tree of the host */
	uid_t uid;
	gid_t gid;
	int pin_fd;
};

/* A symbolic link that the run's own trees get: as on the host. */
struct sandbox_link {
	char *path;
	char *target;
};

/*
 * What holds only as long as a name of the host leads to what it led to when the
 * run started: the kernel takes a mount off a name, in every namespace, when a
 * process of the host renames over it or removes it, and moves it along with
 * what is moved.  The supervisor watches these (runtime/supervise/walls.h).
 */
enum sandbox_wall_kind {
	SANDBOX_WALL_MOUNT,  /* `path` is the root of a mount */
	SANDBOX_WALL_ABSENT, /* there is nothing at `path`: it would be shown */
	SANDBOX_WALL_LINK    /* `path` is a symbolic link with the text `target` */
};

struct sandbox_wall {
	char *path; /* inside; host: sandbox_view_host() */
	char *target;
	uint8_t kind;
	uint32_t rule; /* UINT32_MAX: none, the run's own */
};

/* A name that what git reads adds to those of the floor. */
struct sandbox_git {
	char *path; /* malloc'ed, absolute */
	bool hooks; /* a directory of hooks; else a file that git reads */
	uint32_t rule;
};

struct sandbox_view {
	struct sandbox_node *nodes; /* malloc'ed */
	size_t n;
	/* floor names that do not exist and stay creatable (under): host paths */
	struct { char *path; uint32_t rule; } *creatable;
	size_t ncreatable;
	struct sandbox_link *links;
	size_t nlinks;
	struct sandbox_wall *walls;
	size_t nwalls;
	/* what git would find below the project besides its own .git, before the run */
	struct repo_list repos;
	/* what no run may write because of what git reads */
	struct sandbox_git *git;
	size_t ngit;
};

int sandbox_view_make(const struct sandbox_run *run, struct sandbox_view *ret,
		      struct rt_err *err);
void sandbox_view_release(struct sandbox_view *v);
/* The node that governs `path` inside (the nearest at or above it), or NULL. */
const struct sandbox_node *sandbox_view_find(const struct sandbox_view *v,
					     const char *path);

/* The host's name of `path` inside, in `buf` where it is another one; NULL: too
 * long. */
const char *sandbox_view_host(const struct sandbox_view *v, const char *path, char *buf,
			      size_t cap);

struct sandbox_child {
	pid_t init_pid;    /* polinit: pid 1 inside */
	int init_pidfd;
	int status_fd;     /* seqpacket from polinit: struct sandbox_status */
	int listener;      /* -1: none */
};

/* What polinit sends. */
enum sandbox_event {
	SANDBOX_READY = 1,  /* taken by sandbox_start(); value: the listener's
	                       number in the target, or -1 */
	SANDBOX_FAILED,     /* a step failed: err is filled; polrun ends with 125 */
	SANDBOX_EXEC_FAILED,/* execve of the target failed: value is the errno */
	SANDBOX_EXITED,     /* value: wait status of the target */
	SANDBOX_STOPPED,    /* the target stopped: value is the signal */
};

struct sandbox_status {
	uint32_t event;
	int32_t value;
	uint64_t cpu_us, max_rss_kib; /* EXITED */
	struct rt_err err;
};

/*
 * Starts polinit while polrun still reads and decides: namespaces, maps, the
 * steps that need no policy; then it waits for the plan.  `run` has its ids and
 * polinit_fd.  Not as root, whose children inherit the trees.  A failure is
 * silent: sandbox_start() tries again and says why.
 */
void sandbox_ahead(const struct sandbox_run *run, struct sandbox_ahead *ret);
/* Ends it where no run came of it. */
void sandbox_ahead_release(struct sandbox_ahead *a);

/* Whether the run makes no unix sockets but connected pairs, since it has the
 * host's network and this kernel no scope for abstract ones (unix_wall.h). */
bool sandbox_unix_wall(const struct sandbox_run *run);

/*
 * Clones, writes the maps, takes the listener, and returns once all is set up: the
 * command begins with sandbox_go().  On failure everything is undone; where only the
 * listener could not be taken the error's step is SANDBOX_STEP_LISTENER, and the
 * caller may start again without one.
 */
int sandbox_start(const struct sandbox_run *run, const struct sandbox_view *view,
		  struct sandbox_child *ret, struct rt_err *err);

/* Where the command, or pid 1, has ended before, its status tells. */
int sandbox_go(const struct sandbox_child *c, struct rt_err *err);

/*
 * Has the run ended, or does it within a second?  A short command ends before
 * anybody looks at it; its pid 1 then has no root and no mounts any more (ENOENT,
 * EINVAL, or EACCES for who is not root: proc(5) does not say so) a moment before
 * its end is told.
 */
bool sandbox_child_ended(const struct sandbox_child *c);

#define SANDBOX_STEP_LISTENER "listener"
/* EBUSY: somebody else's listener holds this chain of filters */
#define SANDBOX_STEP_FILTER "seccomp"

#endif
