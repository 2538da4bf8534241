/*
 * Starts the child: one clone with the namespaces, the id maps, polinit executed by
 * descriptor, and a first plan that needs neither bundle nor view.  All of this can
 * begin while polrun still reads and decides; polinit then waits for the rest of the
 * plan.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/base/sys.h"
#include "runtime/sandbox/launch.h"
#include "runtime/sandbox/plan_view.h"
#include "runtime/sandbox/status.h"
#include "runtime/sandbox/why.h"

#define ROOT_RUN_INSIDE 1000u

struct launch {
	const struct sandbox_run *run;
	struct sandbox_ids ids;
	const int *fds; /* descriptors that the child inherits */
	size_t nfds;
	/* Any user may map their own ids without help from the parent.  This is faster:
	   a child that waits for its parent is woken on the parent's processor and runs
	   after it. */
	bool maps_itself;
	bool ahead;     /* the view is not known yet */
	int sock, peer; /* our end and the child's end */
	pid_t pid;
	int pidfd;
};

/*
 * Inside, the run's uid is not 0, so only ambient capabilities survive the exec of
 * polinit.  The set-up needs them for mounts, the loopback, the gateway's ports, the limit of user
 * namespaces, the bounding set, and names below locked masks, and for nothing else.
 */
static int raise_ambient(void)
{
	static const unsigned caps[] = { CAP_SYS_ADMIN, CAP_NET_ADMIN, CAP_SYS_RESOURCE,
					 CAP_SETPCAP, CAP_DAC_OVERRIDE,
					 CAP_NET_BIND_SERVICE };
	struct __user_cap_header_struct h = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct d[2] = { { 0, 0, 0 }, { 0, 0, 0 } };

	for (size_t i = 0; i < sizeof(caps) / sizeof(*caps); i++)
		d[0].permitted |= 1u << caps[i];
	d[0].effective = d[0].inheritable = d[0].permitted;
	if (syscall(SYS_capset, &h, d) < 0)
		return -errno;
	for (size_t i = 0; i < sizeof(caps) / sizeof(*caps); i++)
		if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, caps[i], 0, 0) < 0)
			return -errno;
	return 0;
}

static void __attribute__((noreturn)) child_fail(int sock, const char *what, int e)
{
	struct rt_err err;

	(void)rt_fail_errno(&err, e, "%s", what);
	(void)snprintf(err.step, sizeof(err.step), "polinit");
	(void)status_send(sock, SANDBOX_FAILED, e, &err);
	_exit(125);
}

/* polinit sets this again, and can then report a failure. */
static void die_with_polrun(void)
{
	if (step_on(STEP_PDEATHSIG))
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
}

static int write_map(const char *who, const char *file, const char *text,
		     struct rt_err *err)
{
	char path[64];
	int r;

	(void)snprintf(path, sizeof(path), "/proc/%s/%s", who, file);
	r = io_write_file(path, text);
	return r < 0 ? rt_fail_errno(err, -r, "%s", path) : 0;
}

static int write_maps(const struct launch *s, const char *who, struct rt_err *err)
{
	char line[64];
	int r;

	if (step_on(STEP_SETGROUPS)) {
		r = write_map(who, "setgroups", "deny", err);
		if (r < 0)
			return r;
	}
	(void)snprintf(line, sizeof(line), "%u %u 1\n", s->ids.uid_in, s->ids.uid_out);
	r = write_map(who, "uid_map", line, err);
	if (r < 0)
		return r;
	(void)snprintf(line, sizeof(line), "%u %u 1\n", s->ids.gid_in, s->ids.gid_out);
	return write_map(who, "gid_map", line, err);
}

/* Stage 1: the child is inside the namespaces, but still has polrun's memory. */
static void __attribute__((noreturn)) child_main(const struct launch *s)
{
	char number[16], go;
	struct rt_err err;
	char *argv[] = { (char *)(uintptr_t) "polinit", number, NULL };
	char *envp[] = { NULL, NULL };
	int r;

	(void)close(s->sock);
	die_with_polrun();
	if (s->maps_itself && write_maps(s, "self", &err) < 0)
		child_fail(s->peer, "mapping the run's user", err.err);
	if (!s->maps_itself) {
		ssize_t n = SYS_RETRY(read(s->peer, &go, 1));

		if (n < 0)
			child_fail(s->peer, "waiting for the maps", errno);
		if (n != 1)
			_exit(125); /* polrun is gone */
	}
	if (geteuid() != s->ids.uid_in && step_on(STEP_RUN_UID)) {
		uid_t u = s->ids.uid_in;
		gid_t g = s->ids.gid_in;

		if (syscall(SYS_setresgid, g, g, g) < 0 ||
		    syscall(SYS_setresuid, u, u, u) < 0)
			child_fail(s->peer, "the run's user", errno);
		/* the kernel cleared it when the uid changed */
		die_with_polrun();
	}
	r = raise_ambient();
	if (r < 0)
		child_fail(s->peer, "raising capabilities", -r);
	r = fcntl(s->peer, F_SETFD, 0);
	for (size_t i = 0; i < s->nfds && r == 0; i++)
		r = fcntl(s->fds[i], F_SETFD, 0);
	if (r < 0)
		child_fail(s->peer, "passing descriptors on", errno);
	(void)snprintf(number, sizeof(number), "%d", s->peer);
#ifdef POL_TEST_STEPS
	const char *off = getenv("POL_STEPS_OFF");
	char var[512];

	if (off &&
	    snprintf(var, sizeof(var), "POL_STEPS_OFF=%s", off) < (int)sizeof(var))
		envp[0] = var;
#endif
	(void)sys_execveat(s->run->polinit_fd, "", argv, envp, AT_EMPTY_PATH);
	child_fail(s->peer, "executing polinit", errno);
}

static int clone_child(struct launch *s, struct rt_err *err)
{
	uint64_t flags = CLONE_NEWUSER | CLONE_PIDFD;
	struct clone_args args = { .exit_signal = SIGCHLD };

	flags |= step_on(STEP_NS_MNT) ? CLONE_NEWNS : 0;
	flags |= step_on(STEP_NS_PID) ? CLONE_NEWPID : 0;
	flags |= step_on(STEP_NS_IPC) ? CLONE_NEWIPC : 0;
	flags |= step_on(STEP_NS_UTS) ? CLONE_NEWUTS : 0;
	args.flags = flags;
	args.pidfd = (uintptr_t)&s->pidfd;
	s->pid = sys_clone3(&args, sizeof(args));
	if (s->pid < 0)
		return why_no_namespaces(errno, err);
	if (s->pid == 0)
		child_main(s);
	(void)close(s->peer);
	s->peer = -1;
	return 0;
}

static int make_socket(struct launch *s, struct rt_err *err)
{
	int on = 1, pair[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return rt_fail_errno(err, errno, "socketpair");
	s->sock = pair[0];
	/* 0 to 2 are for the command: the socket must not be one of them */
	s->peer = fcntl(pair[1], F_DUPFD_CLOEXEC, 3);
	(void)close(pair[1]);
	if (s->peer < 0 ||
	    setsockopt(s->sock, SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)) < 0)
		return rt_fail_errno(err, errno, "the status socket");
	return 0;
}

struct sandbox_ids sandbox_ids_of(const struct sandbox_run *run)
{
	struct sandbox_ids ids = {
		.uid_in = run->uid,
		.uid_out = run->uid,
		.gid_in = run->gid,
		.gid_out = run->gid,
	};

	if (run->root_run) {
		ids.uid_out = ids.gid_out = SANDBOX_ROOT_RUN_BASE + (unsigned)getpid();
		ids.uid_in = ids.gid_in = ROOT_RUN_INSIDE;
	}
	return ids;
}

/* Sends the operations that every run begins with. */
static int send_first(const struct launch *s, struct rt_err *err)
{
	static const enum step_id steps[] = { STEP_PDEATHSIG, STEP_DUMPABLE,
					      STEP_KEYRING,   STEP_NS_NET,
					      STEP_LO,        STEP_PRIVATE };
	AUTO_FREE void *bytes = NULL;
	struct plan plan;
	size_t size = 0;
	int r;

	plan_init(&plan);
	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++)
		if (!s->run->host_network ||
		    (steps[i] != STEP_NS_NET && steps[i] != STEP_LO))
			(void)plan_add(&plan, steps[i], PLAN_INIT);
	if (s->ahead)
		plan_ground(&plan, false);
	plan.head.more = true;
	r = plan_finish(&plan, &bytes, &size);
	plan_release(&plan);
	if (r < 0)
		return rt_fail_errno(err, -r, "the first plan");
	if (SYS_RETRY(send(s->sock, bytes, size, MSG_NOSIGNAL)) >= 0)
		return 0;
	r = errno;
	/* if the first plan was not received, no second one can be; polinit has already
	   sent a status that says why it ended */
	if (shutdown(s->sock, SHUT_WR) == 0 && (r == EPIPE || r == ECONNRESET))
		return 0;
	return rt_fail_errno(err, r, "sending the first plan");
}

/* For another user's ids: only the parent may write the map. */
static int map_child(const struct launch *s, struct rt_err *err)
{
	char who[16];
	int r;

	(void)snprintf(who, sizeof(who), "%d", (int)s->pid);
	r = write_maps(s, who, err);
	if (r == 0 && SYS_RETRY(send(s->sock, "g", 1, MSG_NOSIGNAL)) != 1)
		r = rt_fail_errno(err, errno, "polinit has ended early");
	return r < 0 ? r : send_first(s, err);
}

static int launch(const struct sandbox_run *run, const int *fds, size_t nfds, bool ahead,
		  struct sandbox_ahead *ret, struct rt_err *err)
{
	struct launch s = { .run = run,
			    .ahead = ahead,
			    .ids = sandbox_ids_of(run),
			    .fds = fds,
			    .nfds = nfds,
			    .sock = -1,
			    .peer = -1,
			    .pid = -1,
			    .pidfd = -1 };
	int r = make_socket(&s, err);

	s.maps_itself = s.ids.uid_out == geteuid() && s.ids.gid_out == getegid();
	/* an ordinary user's user namespace cannot drop the groups; root can */
	if (r == 0 && geteuid() == 0 && s.ids.uid_out != 0 && step_on(STEP_GROUPS) &&
	    setgroups(0, NULL) < 0)
		r = rt_fail_errno(err, errno, "dropping the supplementary groups");
	if (r == 0 && s.maps_itself)
		r = send_first(&s, err);
	if (r == 0)
		r = clone_child(&s, err);
	if (r == 0 && !s.maps_itself)
		r = map_child(&s, err);
	if (s.peer >= 0)
		(void)close(s.peer);
	*ret = (struct sandbox_ahead){ s.pid, s.pidfd, s.sock, false };
	if (r < 0)
		sandbox_ahead_release(ret);
	return r;
}

int sandbox_launch(const struct sandbox_run *run, const int *fds, size_t nfds,
		   struct sandbox_ahead *ret, struct rt_err *err)
{
	return launch(run, fds, nfds, false, ret, err);
}

void sandbox_ahead(const struct sandbox_run *run, struct sandbox_ahead *ret)
{
	struct rt_err err;

	(void)launch(run, NULL, 0, true, ret, &err);
}

void sandbox_ahead_release(struct sandbox_ahead *a)
{
	if (a->pid > 0) {
		(void)sys_pidfd_send_signal(a->pidfd, SIGKILL, NULL, 0);
		/* closing our end also ends the child, so waitpid() does not wait in
		 * vain */
		if (a->sock >= 0)
			(void)close(a->sock);
		a->sock = -1;
		while (waitpid(a->pid, NULL, __WALL) < 0 && errno == EINTR)
			;
	}
	if (a->pidfd >= 0)
		(void)close(a->pidfd);
	if (a->sock >= 0)
		(void)close(a->sock);
	*a = (struct sandbox_ahead)SANDBOX_AHEAD_NONE;
}
