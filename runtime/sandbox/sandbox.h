/*
 * From a verified bundle to a confined child.  polrun fills struct sandbox_run and asks
 * for the view (which trees are readable, writable, executable or hidden, and by which
 * rules).  It then shows the view (--plan) or starts the child with it.  The step table
 * is in runtime/sandbox/steps.c.
 */
#ifndef RUNTIME_SANDBOX_SANDBOX_H
#define RUNTIME_SANDBOX_SANDBOX_H

#include <stdbool.h>
#include <sys/types.h>

#include "runtime/base/err.h"
#include "runtime/base/repo.h"
#include "runtime/bundle/reader.h"
#include "runtime/decide/decide.h"

/* A polinit that was started before there is a plan. */
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
	const char *project_link;  /* path through a symbolic link by which $PWD or
	                              --project names the project, or NULL */
	const char *const *argv;   /* of the command; argv[0] as the caller wrote it */
	const char *exec_path;     /* absolute path inside at which the lookup found the
	                              command; NULL: execve searches argv[0] in envp's
	                              PATH */
	const char *const *envp;   /* already filtered (runtime/polrun/env.c) */
	/* Files that the next run relies on or that the caller reads after this one
	   (bundle, list of signers, report): absolute paths, with links as they were
	   named, without ".." */
	const char *const *kept;
	size_t nkept;
	size_t nbelieved; /* the first `nbelieved` of kept are those that the next run
	                     relies on.  If the command could write at such a name, no
	                     view is made */
	const char *user_name;     /* for passwd and group inside */
	uid_t uid;                 /* the caller's, or --user's */
	gid_t gid;
	bool root_run;             /* capabilities in the initial user namespace and
	                              no --user: idmapped writable trees, host uid
	                              0x70000000 + pid, shown inside as 1000 */
	bool trace;                /* --explain-denials: load the trace filter */
	bool host_network;         /* mode `full`: no network namespace */
	bool by_polnft;            /* polnft loads the rules of a limited network, not
	                              the messages in the bundle */
	int polnft_fd;             /* opened before the clone if by_polnft */
	bool want_listener;        /* false if there can be no listener: calls get an
	                              errno instead */
	int polinit_fd;            /* opened before the clone */
	int landlock_abi;          /* 0: none */
	mode_t umask;
	struct sandbox_ahead *ahead; /* may be NULL; sandbox_start() takes it */
};

/* One place of the view, sorted by path (outer before inner). */
struct sandbox_node {
	char *path;          /* inside the sandbox; absolute */
	char *source;        /* below the place of a mount: the name on the host; NULL:
	                        the same as `path` */
	uint8_t ops;         /* pb_op bits that are granted here and below */
	bool scratch;        /* a private, empty tree */
	bool masked;         /* exists on the host, but shows nothing */
	bool absent;         /* does not exist on the host */
	bool is_dir;
	bool forced_ro;      /* read-only by force, because of a wildcard or an absent
	                        name */
	uint32_t rule[3];    /* deciding rule for read, write, exec; UINT32_MAX none */
	uint32_t forced_by;  /* the rule behind forced_ro */
	bool locked;         /* a name that the run made: empty, read-only */
	bool noted;          /* only shown by --plan: nothing is mounted here */
	/* device and inode that polrun saw on the host; pin_fd (O_PATH, -1 none) holds
	   the object until the view is released */
	uint64_t dev, ino;
	uint64_t at_dev, at_ino; /* dev and ino of the mount point, if it lies in a tree
	                            of the host */
	uid_t uid;
	gid_t gid;
	int pin_fd;
};

/* A symbolic link that is copied from the host into the run's own trees. */
struct sandbox_link {
	char *path;
	char *target;
};

/*
 * A restriction that depends on a name of the host still leading to what it led to when
 * the run started.  When a process of the host renames over a name or removes it, the
 * kernel removes the mounts on that name in every namespace; when the name is moved,
 * the mount moves along.  The supervisor watches these names
 * (runtime/supervise/walls.h).
 */
enum sandbox_wall_kind {
	SANDBOX_WALL_MOUNT,  /* `path` is the root of a mount */
	SANDBOX_WALL_ABSENT, /* nothing is at `path`: if something appeared, the run
	                        would see it */
	SANDBOX_WALL_LINK    /* `path` is a symbolic link whose text is `target` */
};

struct sandbox_wall {
	char *path; /* path inside; for the host's path use sandbox_view_host() */
	char *target;
	uint8_t kind;
	uint32_t rule; /* UINT32_MAX: no rule, the run itself needs it */
};

/* A name that is protected because of what git reads, besides the names of the floor. */
struct sandbox_git {
	char *path; /* malloc'ed, absolute */
	bool hooks; /* true: a directory of hooks; false: a file that git reads */
	uint32_t rule;
};

struct sandbox_view {
	struct sandbox_node *nodes; /* malloc'ed */
	size_t n;
	/* names of the floor that do not exist, and that the run may create (below
	 * `under`): host paths */
	struct { char *path; uint32_t rule; } *creatable;
	size_t ncreatable;
	struct sandbox_link *links;
	size_t nlinks;
	struct sandbox_wall *walls;
	size_t nwalls;
	/* the repositories, other than the project's own .git, that git would find
	 * below the project before the run */
	struct repo_list repos;
	/* names that no run may write because git reads them */
	struct sandbox_git *git;
	size_t ngit;
};

int sandbox_view_make(const struct sandbox_run *run, struct sandbox_view *ret,
		      struct rt_err *err);
void sandbox_view_release(struct sandbox_view *v);
/* The node that governs `path` inside (the nearest at or above it), or NULL. */
const struct sandbox_node *sandbox_view_find(const struct sandbox_view *v,
					     const char *path);

/* The host's name of the inside path `path`.  Written into `buf` if the two differ.
 * NULL: too long. */
const char *sandbox_view_host(const struct sandbox_view *v, const char *path, char *buf,
			      size_t cap);

struct sandbox_child {
	pid_t init_pid;    /* polinit: pid 1 inside */
	int init_pidfd;
	int status_fd;     /* seqpacket from polinit: struct sandbox_status */
	int listener;      /* -1: none */
};

/* The events that polinit sends. */
enum sandbox_event {
	SANDBOX_READY = 1,  /* sandbox_start() consumes this one; value: the listener's
	                       number in the target, or -1 */
	SANDBOX_FAILED,     /* a step failed: err is filled; polrun exits with 125 */
	SANDBOX_EXEC_FAILED,/* execve of the target failed: value is the errno */
	SANDBOX_EXITED,     /* value: wait status of the target */
	SANDBOX_STOPPED,    /* the target stopped: value is the signal */
};

struct sandbox_status {
	uint32_t event;
	int32_t value;
	uint64_t cpu_us, max_rss_kib; /* set for EXITED */
	struct rt_err err;
};

/*
 * Starts polinit while polrun still reads and decides: namespaces, maps, and the steps
 * that need no policy.  polinit then waits for the plan.  `run` must have its ids and
 * polinit_fd.  Not for runs as root, where the child inherits the trees.  A failure is
 * silent: sandbox_start() tries again and reports the reason.
 */
void sandbox_ahead(const struct sandbox_run *run, struct sandbox_ahead *ret);
/* Ends that polinit if no run uses it. */
void sandbox_ahead_release(struct sandbox_ahead *a);

/* True if the run may make no unix sockets except connected pairs, because it has the
 * host's network and this kernel's Landlock has no scope for abstract sockets
 * (unix_wall.h). */
bool sandbox_unix_wall(const struct sandbox_run *run);

/*
 * Clones, writes the maps, takes the listener, and returns when all is set up.  The
 * command starts with sandbox_go().  On failure everything is undone.  If only the
 * listener could not be taken, the error's step is SANDBOX_STEP_LISTENER, and the
 * caller may start again without a listener.
 */
int sandbox_start(const struct sandbox_run *run, const struct sandbox_view *view,
		  struct sandbox_child *ret, struct rt_err *err);

/* Starts the command.  If the command or pid 1 has already ended, its status says so. */
int sandbox_go(const struct sandbox_child *c, struct rt_err *err);

/*
 * True if the run has ended or ends within a second.  A short command may end before
 * anybody looks at it.  For a moment before its end is reported, its pid 1 then has no
 * root and no mounts any more; looking at it gives ENOENT, EINVAL, or, if the caller is
 * not root, EACCES (not documented in proc(5)).
 */
bool sandbox_child_ended(const struct sandbox_child *c);

#define SANDBOX_STEP_LISTENER "listener"
/* EBUSY: another process's listener is on this chain of filters */
#define SANDBOX_STEP_FILTER "seccomp"

#endif
