/*
 * From a verified bundle to a confined child.  polrun fills struct sandbox_run and asks
 * for the view (which trees are readable, writable, executable or hidden, and by which
 * rules).  It then shows the view (--plan) or starts the child with it.  The step table
 * is in runtime/sandbox/steps.def.
 */
#ifndef RUNTIME_SANDBOX_SANDBOX_H
#define RUNTIME_SANDBOX_SANDBOX_H

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "runtime/base/err.h"
#include "runtime/bundle/reader.h"
#include "runtime/decide/decide.h"
#include "runtime/egress/gate.h"
#include "runtime/sandbox/sandbox_view.h"

/* Host uids that own nothing: this and a process's pid. */
#define SANDBOX_ROOT_RUN_BASE 0x70000000u

/*
 * Signals to the run's pid 1 around a question at the terminal (runtime/approvals/pause.h).
 * HOLD: pid 1 does not report that the command stops, since the asker stops and continues it.
 * STOP_ALL: it stops every other process of the run in one call, so that none can escape by forking.
 * STOPPED_ALL does nothing: the kernel delivers the lower number first, so once this signal is
 * no longer pending, STOP_ALL has been obeyed.  RELEASE ends HOLD.
 */
#define SANDBOX_HOLD (SIGRTMIN + 6)
#define SANDBOX_STOP_ALL (SIGRTMIN + 7)
#define SANDBOX_STOPPED_ALL (SIGRTMIN + 8)
#define SANDBOX_RELEASE (SIGRTMIN + 9)

/* A polinit that was started before there is a plan. */
struct sandbox_ahead {
	pid_t pid; /* 0: none */
	int pidfd, sock;
	bool viewed; /* it has the plan of the view */
};

#define SANDBOX_AHEAD_NONE { 0, -1, -1, false }

/* Of a staged run: where the upper layer of a writable tree lies. */
struct sandbox_layer {
	size_t node;       /* of the view */
	const char *path;  /* the directory that holds `upper` and `work` */
	uint64_t dev, ino; /* of this directory */
	uid_t uid;         /* its owner */
	gid_t gid;
	int fd;            /* O_PATH */
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
	const char *remembered; /* the folder of remembered.h, or NULL */
	/* which repositories below the project are the run's own (view_input.h); NULL: none */
	bool (*is_own)(void *arg, const char *path);
	void *is_own_arg;
	const char *user_name;     /* for passwd and group inside */
	uid_t uid;                 /* the caller's, or --user's */
	gid_t gid;
	bool root_run;             /* capabilities in the initial user namespace and
	                              no --user: idmapped writable trees, host uid
	                              0x70000000 + pid, shown inside as 1000 */
	bool trace;                /* --explain-denials: load the trace filter */
	bool broker;               /* some trees are written by the broker only: load its
	                              filter, if not the trace filter.  Needs a listener */
	bool host_network;         /* mode `full`: no network namespace */
	bool gateway;              /* the run's network leads to polgate */
	bool by_polnft;            /* polnft loads the rules of a limited network, not
	                              the messages in the bundle */
	int polnft_fd;             /* opened before the clone if by_polnft */
	bool want_listener;        /* false if there can be no listener: calls get an
	                              errno instead */
	int polinit_fd;            /* opened before the clone */
	int landlock_abi;          /* 0: none */
	mode_t umask;
	struct sandbox_ahead *ahead; /* may be NULL; sandbox_start() takes it */
	/* of a staged run: one for each node that is staged; else none */
	const struct sandbox_layer *layers;
	size_t nlayers;
	const char *stages; /* the folder of all staged runs, which no staged run sees */
	/* Called while polinit sets the view up (init_pid 0), and again when all mounts
	   are there and polinit goes on; may be NULL.  Both again after a retry. */
	void (*meanwhile)(void *arg, pid_t init_pid, int init_pidfd);
	void *meanwhile_arg;
	int names_lock; /* state_dir_lock(); not above 2: there is none */
	int open_list, open_lock; /* left_open.h; the same */
};

/* The filter of the run.  Without a listener nobody makes calls for it: that is always
 * `enforce`, and what the broker would write stays read-only. */
enum pb_filter_kind sandbox_filter_kind(const struct sandbox_run *run);

/* The first tree of the host in which the run can give sockets names although no rule allows it, since only
 * Landlock could prevent it and this kernel has none; NULL: there is none. */
const struct sandbox_node *sandbox_open_to_sockets(const struct sandbox_run *run, const struct sandbox_view *view);

/* Does the run see a text of its own at this name, as far as the rules show the name? */
bool sandbox_has_text(const struct sandbox_run *run, const char *name);

/* Makes the view from the bundle's rules and what the host has. */
int sandbox_view_make(const struct sandbox_run *run, struct sandbox_view *ret,
		      struct rt_err *err);

/*
 * In trees in which programs are started by name, Landlock lets the run start those programs
 * that it was told at the start, and the files that have room for copies of others.
 */
#define SANDBOX_COPIES 96u
#define SANDBOX_COPY_NAME 12
static inline void sandbox_copy_name(uint32_t number, char out[SANDBOX_COPY_NAME])
{
	(void)snprintf(out, SANDBOX_COPY_NAME, "%u", number);
}

struct sandbox_program {
	uint64_t dev, ino;
};

/* The programs that were told, sorted. */
struct sandbox_programs {
	struct sandbox_program *v; /* malloc'ed */
	size_t n;
};

bool sandbox_programs_have(const struct sandbox_programs *p, uint64_t dev, uint64_t ino);
void sandbox_programs_release(struct sandbox_programs *p);

struct sandbox_child {
	pid_t init_pid;    /* polinit: pid 1 inside */
	int init_pidfd;
	pid_t command_pid; /* and process group, as the host numbers it; 0 until it is set up */
	int status_fd;     /* seqpacket from polinit: struct sandbox_status */
	int listener;      /* -1: none */
	int sockets[GATE_SOCKET_COUNT]; /* for polgate, if run->gateway; -1: none */
	/* of a view that brokers: the run's root, and by node the writable clone of a brokered
	   tree, else -1.  O_PATH */
	int root_fd;
	int *trees; /* malloc'ed; NULL: none */
	size_t ntrees;
	int copies_fd; /* of a view in which programs are started by name: the directory of the
			  files for copies, on a mount of the run.  O_PATH */
	struct sandbox_programs programs;
};

/* The events that polinit sends. */
enum sandbox_event {
	SANDBOX_READY = 1,  /* sandbox_start() consumes this one; value: the listener's
	                       number in the target, or -1 */
	SANDBOX_MOUNTED,    /* sandbox_start() consumes this one, too: the view stands */
	SANDBOX_SOCKETS,    /* and this one: the gateway's sockets; value: their bits */
	SANDBOX_TREE,       /* and this one: a tree of the view; value: its node, or SANDBOX_TREE_* */
	SANDBOX_FAILED,     /* a step failed: err is filled; polrun exits with 125 */
	SANDBOX_EXEC_FAILED,/* execve of the target failed: value is the errno */
	SANDBOX_EXITED,     /* value: wait status of the target */
	SANDBOX_STOPPED,    /* the target stopped: value is the signal */
};

#define SANDBOX_TREE_ROOT (-1)
#define SANDBOX_TREE_COPIES (-2)

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
/*
 * Lets the polinit of run->ahead set the view up; sandbox_start() must be called with
 * the same view, or sandbox_ahead_release().  Does nothing if there is none, or if it
 * cannot be used; a failure is silent here as well.
 */
void sandbox_ahead_view(const struct sandbox_run *run, const struct sandbox_view *view);
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

/* Closes the gateway's sockets, if they are still there. */
void sandbox_drop_sockets(struct sandbox_child *c);
/* Closes root_fd, the trees and copies_fd, and frees the programs. */
void sandbox_drop_trees(struct sandbox_child *c);

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
