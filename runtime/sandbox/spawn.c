/*
 * The parent's half: one clone with every namespace, the maps, the plan over
 * the socket, the listener out of the command by pidfd_getfd.  Whatever
 * fails ends the child; the message says which step it was.
 */
#include "runtime/sandbox/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/base/sys.h"
#include "runtime/sandbox/init.h"
#include "runtime/sandbox/plan_view.h"

#define ROOT_RUN_BASE 0x70000000u
#define ROOT_RUN_INSIDE 1000u

struct spawn {
	const struct sandbox_run *run;
	uid_t uid_in, uid_out;
	gid_t gid_in, gid_out;
	struct plan plan;
	void *bytes;
	size_t size;
	int sock, peer; /* ours, the child's */
	pid_t pid;
	int pidfd;
};

/*
 * The set-up's capabilities survive the exec of polinit only as ambient ones:
 * inside, the run's uid is not 0.  Mounts, the loopback, the limit of user
 * namespaces, the bounding set, and names below locked masks: nothing else.
 */
static int raise_ambient(void)
{
	static const unsigned caps[] = {CAP_SYS_ADMIN, CAP_NET_ADMIN, CAP_SYS_RESOURCE,
					CAP_SETPCAP, CAP_DAC_OVERRIDE};
	struct __user_cap_header_struct h = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct d[2] = {{0, 0, 0}, {0, 0, 0}};

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
	init_send(sock, SANDBOX_FAILED, e, &err);
	_exit(125);
}

/* polinit sets it again, where a failure is reported. */
static void die_with_polrun(void)
{
	if (step_on(STEP_PDEATHSIG))
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
}

/* Stage 1: inside of the namespaces, still polrun's memory. */
static void __attribute__((noreturn)) child_main(const struct spawn *s)
{
	char number[16], go;
	char *argv[] = {(char *)(uintptr_t) "polinit", number, NULL};
	char *envp[] = {NULL, NULL};
	int r;

	(void)close(s->sock);
	die_with_polrun();
	if (read(s->peer, &go, 1) != 1)
		_exit(125);
	if (geteuid() != s->uid_in && step_on(STEP_RUN_UID)) {
		if (syscall(SYS_setresgid, s->gid_in, s->gid_in, s->gid_in) < 0 ||
		    syscall(SYS_setresuid, s->uid_in, s->uid_in, s->uid_in) < 0)
			child_fail(s->peer, "the run's user", errno);
		/* changing the uid cleared it */
		die_with_polrun();
	}
	r = raise_ambient();
	if (r < 0)
		child_fail(s->peer, "raising capabilities", -r);
	(void)fcntl(s->peer, F_SETFD, 0);
	for (size_t i = 0; i < s->plan.nfds; i++)
		(void)fcntl(s->plan.fds[i], F_SETFD, 0);
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

static int write_map(pid_t pid, const char *file, const char *text, struct rt_err *err)
{
	char path[64];
	int r;

	(void)snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, file);
	r = io_write_file(path, text);
	return r < 0 ? rt_fail_errno(err, -r, "%s", path) : 0;
}

static int write_maps(const struct spawn *s, struct rt_err *err)
{
	char line[64];
	int r;

	if (step_on(STEP_SETGROUPS)) {
		r = write_map(s->pid, "setgroups", "deny", err);
		if (r < 0)
			return r;
	}
	(void)snprintf(line, sizeof(line), "%u %u 1\n", s->uid_in, s->uid_out);
	r = write_map(s->pid, "uid_map", line, err);
	if (r < 0)
		return r;
	(void)snprintf(line, sizeof(line), "%u %u 1\n", s->gid_in, s->gid_out);
	return write_map(s->pid, "gid_map", line, err);
}

static int send_all(const struct spawn *s, struct rt_err *err)
{
	const char *p = s->bytes;
	size_t left = s->size;

	if (send(s->sock, "g", 1, MSG_NOSIGNAL) != 1)
		return rt_fail_errno(err, errno, "polinit has ended early");
	while (left) {
		size_t n = left < PLAN_CHUNK ? left : PLAN_CHUNK;
		ssize_t w = send(s->sock, p, n, MSG_NOSIGNAL);

		if (w < 0 && errno == EINTR)
			continue;
		/* why it went is in the status that it sent */
		if (w < 0)
			return 0;
		p += w;
		left -= (size_t)w;
	}
	return 0;
}

/* One status, with the host's pid of its sender. */
static int receive(int sock, struct sandbox_status *ret, pid_t *ret_pid)
{
	union {
		char buf[CMSG_SPACE(sizeof(struct ucred))];
		struct cmsghdr align;
	} u;
	struct iovec iov = {ret, sizeof(*ret)};
	struct msghdr m = {.msg_iov = &iov,
			   .msg_iovlen = 1,
			   .msg_control = u.buf,
			   .msg_controllen = sizeof(u.buf)};
	struct cmsghdr *c;
	ssize_t n;

	do
		n = recvmsg(sock, &m, MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	if (n != (ssize_t)sizeof(*ret))
		return n < 0 ? -errno : -EPIPE;
	*ret_pid = 0;
	c = CMSG_FIRSTHDR(&m);
	if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_CREDENTIALS) {
		struct ucred cred;

		memcpy(&cred, CMSG_DATA(c), sizeof(cred));
		*ret_pid = cred.pid;
	}
	return 0;
}

/* The command waits in read() until the listener is ours. */
static int take_listener(const struct spawn *s, pid_t pid, int number, int *ret,
			 struct rt_err *err)
{
	AUTO_CLOSE int pidfd = pid > 0 ? sys_pidfd_open(pid, 0) : -1;

	if (pidfd < 0)
		return rt_fail_errno(err, errno, "the command's descriptor");
	*ret = sys_pidfd_getfd(pidfd, number, 0);
	if (*ret < 0)
		return rt_fail_errno(err, errno, "taking the listener (pidfd_getfd)");
	if (send(s->sock, "k", 1, MSG_NOSIGNAL) != 1)
		return rt_fail_errno(err, errno, "the command has ended early");
	return 0;
}

static int wait_ready(const struct spawn *s, const struct plan_policy *policy,
		      struct sandbox_child *ret, struct rt_err *err)
{
	struct sandbox_status st;
	pid_t pid = 0;
	int r = receive(s->sock, &st, &pid);

	if (r < 0)
		return rt_fail(err, EPIPE, "polinit ended during the set-up");
	if (st.event == SANDBOX_FAILED) {
		if (err)
			*err = st.err;
		return st.value > 0 ? -st.value : -EINVAL;
	}
	if (st.event != SANDBOX_READY)
		return rt_fail(err, EPROTO, "polinit sent event %u", st.event);
	if (!policy->listener)
		return 0;
	if (st.value < 0)
		return rt_fail(err, EPROTO, "the filter has no listener");
	return take_listener(s, pid, st.value, &ret->listener, err);
}

static int clone_child(struct spawn *s, struct rt_err *err)
{
	uint64_t flags = CLONE_NEWUSER | CLONE_PIDFD;
	struct clone_args args = {.exit_signal = SIGCHLD};

	flags |= step_on(STEP_NS_MNT) ? CLONE_NEWNS : 0;
	flags |= step_on(STEP_NS_PID) ? CLONE_NEWPID : 0;
	flags |= step_on(STEP_NS_NET) ? CLONE_NEWNET : 0;
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

static int make_plan(struct spawn *s, const struct sandbox_view *view,
		     const struct plan_policy *policy, struct rt_err *err)
{
	static const enum step_id first[] = {STEP_PDEATHSIG, STEP_DUMPABLE,
					     STEP_KEYRING};
	static const enum step_id creds[] = {STEP_LO,       STEP_SECUREBITS,
					     STEP_BOUNDING, STEP_AMBIENT,
					     STEP_CAPSET,   STEP_NNP};
	struct plan_texts texts;
	AUTO_FREE int *given = NULL;
	int r = plan_texts_make(s->run, &texts);

	plan_init(&s->plan);
	if (r < 0)
		return rt_fail(err, ENOMEM, "no memory for the plan");
	for (size_t i = 0; i < sizeof(first) / sizeof(*first); i++)
		(void)plan_add(&s->plan, first[i], PLAN_INIT);
	if (geteuid() == 0 && s->uid_out != 0) {
		/* the run's uid cannot walk to what only root may enter */
		given = malloc((view->n + 1) * sizeof(*given));
		r = given ? root_trees(s->run, view, s->uid_out, &s->plan, given, err)
			  : -ENOMEM;
		if (r < 0) {
			plan_texts_release(&texts);
			return r;
		}
	}
	plan_view(&s->plan, s->run, view, given, policy, &texts);
	plan_texts_release(&texts);
	for (size_t i = 0; i < sizeof(creds) / sizeof(*creds); i++)
		(void)plan_add(&s->plan, creds[i], PLAN_INIT);
	plan_landlock(&s->plan, view, &policy->landlock);
	plan_command(&s->plan, s->run, policy);
	r = plan_finish(&s->plan, &s->bytes, &s->size);
	return r < 0 ? rt_fail_errno(err, -r, "the plan") : 0;
}

static int make_socket(struct spawn *s, struct rt_err *err)
{
	int on = 1, pair[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return rt_fail_errno(err, errno, "socketpair");
	s->sock = pair[0];
	/* 0 to 2 are the command's: the socket must not be one of them */
	s->peer = fcntl(pair[1], F_DUPFD_CLOEXEC, 3);
	(void)close(pair[1]);
	if (s->peer < 0 ||
	    setsockopt(s->sock, SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)) < 0)
		return rt_fail_errno(err, errno, "the status socket");
	return 0;
}

static void set_ids(struct spawn *s)
{
	s->uid_in = s->uid_out = s->run->uid;
	s->gid_in = s->gid_out = s->run->gid;
	if (s->run->root_run) {
		s->uid_out = s->gid_out = ROOT_RUN_BASE + (unsigned)getpid();
		s->uid_in = s->gid_in = ROOT_RUN_INSIDE;
	}
}

int sandbox_spawn(const struct sandbox_run *run, const struct sandbox_view *view,
		  const struct plan_policy *policy, struct sandbox_child *ret,
		  struct rt_err *err)
{
	struct spawn s = {.run = run, .sock = -1, .peer = -1, .pid = -1, .pidfd = -1};
	int r;

	memset(ret, 0, sizeof(*ret));
	ret->listener = ret->status_fd = ret->init_pidfd = -1;
	set_ids(&s);
	r = make_plan(&s, view, policy, err);
#ifdef POL_TEST_STEPS
	/* time for a test to exchange what was seen */
	const char *pause = getenv("POL_TEST_PAUSE");

	if (pause && *pause)
		(void)usleep(500000);
#endif
	if (r == 0)
		r = make_socket(&s, err);
	/* a user namespace made by an ordinary user cannot drop them; root can */
	if (r == 0 && geteuid() == 0 && s.uid_out != 0 && step_on(STEP_GROUPS) &&
	    setgroups(0, NULL) < 0)
		r = rt_fail_errno(err, errno, "dropping the supplementary groups");
	if (r == 0)
		r = clone_child(&s, err);
	if (r == 0)
		r = write_maps(&s, err);
	if (r == 0)
		r = send_all(&s, err);
	if (r == 0)
		r = wait_ready(&s, policy, ret, err);
	if (r < 0 && s.pid > 0) {
		(void)sys_pidfd_send_signal(s.pidfd, SIGKILL, NULL, 0);
		(void)waitpid(s.pid, NULL, __WALL);
	}
	plan_release(&s.plan);
	free(s.bytes);
	if (s.peer >= 0)
		(void)close(s.peer);
	if (r < 0) {
		if (s.sock >= 0)
			(void)close(s.sock);
		if (s.pidfd >= 0)
			(void)close(s.pidfd);
		if (ret->listener >= 0)
			(void)close(ret->listener);
		ret->listener = -1;
		return r;
	}
	ret->init_pid = s.pid;
	ret->init_pidfd = s.pidfd;
	ret->status_fd = s.sock;
	return 0;
}
