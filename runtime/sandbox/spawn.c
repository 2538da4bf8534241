/*
 * The parent's half of the start: sends the plan over the socket and takes the listener
 * out of the command with pidfd_getfd.  Any failure ends the child, and the message
 * says which step failed.
 */
#include "runtime/sandbox/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/base/sys.h"
#include "runtime/sandbox/launch.h"
#include "runtime/sandbox/plan_programs.h"
#include "runtime/sandbox/plan_view.h"
#include "runtime/sandbox/root.h"

struct spawn {
	const struct sandbox_run *run;
	uid_t uid_out;
	struct plan plan;
	struct sandbox_ahead child;
};

/* 0 or -errno.  After a failure polinit reads the end of the socket instead of the
 * rest. */
static int send_plan(const struct spawn *s, const void *bytes, size_t size)
{
	size_t left = size, most = PLAN_CHUNK;
	const char *p = bytes;

	while (left) {
		size_t n = left < most ? left : most;
		ssize_t w = SYS_RETRY(send(s->child.sock, p, n, MSG_NOSIGNAL));

		/* the host has small socket buffers (net.core.wmem_default) */
		if (w < 0 && errno == EMSGSIZE && most > PLAN_CHUNK_LEAST) {
			most /= 2;
			continue;
		}
		if (w < 0) {
			int e = errno;

			/* otherwise polinit would wait for more while we wait for
			 * polinit */
			if (shutdown(s->child.sock, SHUT_WR) < 0)
				(void)sys_pidfd_send_signal(s->child.pidfd, SIGKILL,
							    NULL, 0);
			return -e;
		}
		p += w;
		left -= (size_t)w;
	}
	return 0;
}

/*
 * What comes beside a status: the pid of its sender on the host, and descriptors, which
 * the caller owns.
 */
struct beside {
	pid_t pid;
	int fds[GATE_SOCKET_COUNT];
	size_t nfds;
};

static void take_beside(struct msghdr *m, struct beside *ret)
{
	memset(ret, 0, sizeof(*ret));
	for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c; c = CMSG_NXTHDR(m, c)) {
		struct ucred cred;

		if (c->cmsg_level != SOL_SOCKET)
			continue;
		if (c->cmsg_type == SCM_CREDENTIALS) {
			memcpy(&cred, CMSG_DATA(c), sizeof(cred));
			ret->pid = cred.pid;
		} else if (c->cmsg_type == SCM_RIGHTS) {
			ret->nfds = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
			memcpy(ret->fds, CMSG_DATA(c), ret->nfds * sizeof(int));
		}
	}
}

/* Receives one status; flags are those of recvmsg(). */
static int receive(int sock, int flags, struct sandbox_status *ret, struct beside *ret_beside)
{
	union {
		char buf[CMSG_SPACE(sizeof(struct ucred)) +
			 CMSG_SPACE(GATE_SOCKET_COUNT * sizeof(int))];
		struct cmsghdr align;
	} u;
	struct iovec iov = { ret, sizeof(*ret) };
	struct msghdr m = { .msg_iov = &iov,
			    .msg_iovlen = 1,
			    .msg_control = u.buf,
			    .msg_controllen = sizeof(u.buf) };
	ssize_t n;

	n = SYS_RETRY(recvmsg(sock, &m, MSG_CMSG_CLOEXEC | flags));
	/* polinit ended without reading the plan: its last message can still be
	 * received */
	if (n < 0 && errno == ECONNRESET) {
		m.msg_controllen = sizeof(u.buf);
		n = SYS_RETRY(recvmsg(sock, &m, MSG_CMSG_CLOEXEC | flags));
	}
	if (n < 0)
		return -errno;
	take_beside(&m, ret_beside);
	if (n == (ssize_t)sizeof(*ret))
		return 0;
	for (size_t i = 0; i < ret_beside->nfds; i++)
		(void)close(ret_beside->fds[i]);
	return -EPIPE;
}

/*
 * Reports why the listener could not be taken: `what` failed with e.  If the command or
 * polinit failed meanwhile, it sent a status before it ended; report that instead,
 * since it depends on timing which of our calls fails, and with which errno.
 */
static int no_listener(const struct spawn *s, const char *what, int e,
		       struct rt_err *err)
{
	struct sandbox_status st;
	struct beside beside;
	int r = receive(s->child.sock, MSG_DONTWAIT, &st, &beside);

	(void)rt_fail_errno(err, e, "%s", what);
	if (r == 0 && st.event == SANDBOX_FAILED && err)
		*err = st.err;
	return r;
}

/*
 * True if the command has ended.  A killed process loses its memory before it has
 * ended; in between, pidfd_getfd() fails as if it were forbidden.
 */
static bool is_gone(int pidfd)
{
	enum { MS = 10 };
	struct pollfd p = { pidfd, POLLIN, 0 };

	return poll(&p, 1, MS) != 0;
}

/* The command waits in read() for sandbox_go(). */
static int take_listener(const struct spawn *s, pid_t pid, int number, int *ret,
			 struct rt_err *err)
{
	AUTO_CLOSE int pidfd = pid > 0 ? sys_pidfd_open(pid, 0) : -1;

	int e, r;

	if (pidfd < 0) {
		e = pid > 0 ? errno : ESRCH;
		(void)no_listener(s, "the command's descriptor", e, err);
		return -e;
	}
	*ret = sys_pidfd_getfd(pidfd, number, 0);
	if (*ret < 0) {
		e = errno;
		r = no_listener(s, "taking the listener (pidfd_getfd)", e, err);
		/* if no process failed, the caller may go on without a listener
		   (sandbox.h), but not if the command has ended */
		if (r == -EAGAIN && e != ESRCH && e != EBADF && !is_gone(pidfd) && err)
			(void)snprintf(err->step, sizeof(err->step), "%s",
				       SANDBOX_STEP_LISTENER);
		return -e;
	}
	return 0;
}

void sandbox_drop_sockets(struct sandbox_child *c)
{
	for (int i = 0; i < GATE_SOCKET_COUNT; i++) {
		if (c->sockets[i] >= 0)
			(void)close(c->sockets[i]);
		c->sockets[i] = -1;
	}
}

void sandbox_drop_trees(struct sandbox_child *c)
{
	for (size_t i = 0; i < c->ntrees; i++)
		if (c->trees[i] >= 0)
			(void)close(c->trees[i]);
	free(c->trees);
	c->trees = NULL;
	c->ntrees = 0;
	if (c->root_fd >= 0)
		(void)close(c->root_fd);
	sandbox_programs_release(&c->programs);
	if (c->copies_fd >= 0)
		(void)close(c->copies_fd);
	c->root_fd = c->copies_fd = -1;
}

static void meanwhile(const struct spawn *s, pid_t init_pid, int init_pidfd)
{
	if (s->run->meanwhile)
		s->run->meanwhile(s->run->meanwhile_arg, init_pid, init_pidfd);
}

/* Gives each socket to the place that its bit names. */
static int take_sockets(const struct sandbox_status *st, const struct beside *beside,
			struct sandbox_child *ret, struct rt_err *err)
{
	size_t n = 0;

	for (int i = 0; i < GATE_SOCKET_COUNT; i++)
		if ((st->value & (1 << i)) && n < beside->nfds)
			ret->sockets[i] = beside->fds[n++];
	if (n == beside->nfds && n == (size_t)__builtin_popcount((unsigned)st->value))
		return 0;
	for (; n < beside->nfds; n++)
		(void)close(beside->fds[n]);
	return rt_fail(err, EPROTO, "polinit has passed other sockets than it says");
}

static int take_tree(const struct sandbox_status *st, const struct beside *beside,
		     struct sandbox_child *ret, struct rt_err *err)
{
	int *at = st->value == SANDBOX_TREE_ROOT     ? &ret->root_fd
		  : st->value == SANDBOX_TREE_COPIES ? &ret->copies_fd
		  : st->value >= 0 && (size_t)st->value < ret->ntrees ? &ret->trees[st->value]
								      : NULL;

	if (at && *at < 0 && beside->nfds == 1) {
		*at = beside->fds[0];
		return 0;
	}
	for (size_t i = 0; i < beside->nfds; i++)
		(void)close(beside->fds[i]);
	return rt_fail(err, EPROTO, "polinit has passed another tree than the plan has");
}

/* Receives the next status that tells whether the set-up has ended. */
static int receive_next(const struct spawn *s, struct sandbox_status *ret, pid_t *ret_pid,
			struct sandbox_child *child, struct rt_err *err)
{
	struct beside beside;
	int r;

	for (;;) {
		r = receive(s->child.sock, 0, ret, &beside);
		if (r < 0)
			return r;
		*ret_pid = beside.pid;
		if (ret->event == SANDBOX_MOUNTED) {
			meanwhile(s, s->child.pid, s->child.pidfd);
		} else if (ret->event == SANDBOX_SOCKETS) {
			r = take_sockets(ret, &beside, child, err);
			if (r < 0)
				return r;
		} else if (ret->event == SANDBOX_TREE) {
			r = take_tree(ret, &beside, child, err);
			if (r < 0)
				return r;
		} else {
			return 0;
		}
	}
}

/* `sent` is the result of send_plan().  If polinit ended, its status says why. */
static int wait_ready(const struct spawn *s, const struct plan_policy *policy, int sent,
		      struct sandbox_child *ret, struct rt_err *err)
{
	struct sandbox_status st;
	pid_t pid = 0;
	int r = receive_next(s, &st, &pid, ret, err);

	if (r < 0 && sent < 0)
		return rt_fail_errno(err, -sent, "sending the plan to polinit");
	if (r == -EPIPE)
		return rt_fail(err, EPIPE, "polinit ended during the set-up");
	if (r == -EPROTO)
		return r;
	if (r < 0)
		return rt_fail_errno(err, -r, "polinit's status");
	if (st.event == SANDBOX_FAILED) {
		if (err)
			*err = st.err;
		return st.value > 0 ? -st.value : -EINVAL;
	}
	if (st.event != SANDBOX_READY)
		return rt_fail(err, EPROTO, "polinit sent event %u", st.event);
	ret->command_pid = pid;
	if (!policy->listener)
		return 0;
	if (st.value < 0)
		return rt_fail(err, EPROTO, "the filter has no listener");
	return take_listener(s, pid, st.value, &ret->listener, err);
}

/* The first part of the set-up: all that needs the view. */
static int plan_for_view(struct spawn *s, const struct sandbox_view *view,
			 const struct plan_policy *policy, bool grounded,
			 struct rt_err *err)
{
	struct plan_texts texts;
	AUTO_FREE int *given = NULL;
	int r = plan_texts_make(s->run, view, &texts);

	if (r < 0)
		return rt_fail_errno(err, -r, "/etc/passwd and /etc/group of the run");
	if (geteuid() == 0 && s->uid_out != 0) {
		/* the run's uid cannot walk into directories that only root may enter */
		given = malloc((view->n + s->run->nlayers + 1) * sizeof(*given));
		r = given ? root_trees(s->run, view, s->uid_out, &s->plan, given, err)
			  : rt_fail(err, ENOMEM, "no memory for the plan");
		if (r < 0) {
			plan_texts_release(&texts);
			return r;
		}
	}
	plan_nft(&s->plan, policy);
	if (s->run->gateway) {
		(void)plan_add(&s->plan, STEP_ROUTES, PLAN_INIT);
		(void)plan_add(&s->plan, STEP_GATE, PLAN_INIT);
	}
	plan_view(&s->plan, s->run, view, given, policy, &texts, grounded);
	plan_texts_release(&texts);
	s->plan.head.more = s->plan.head.tell = true;
	return 0;
}

/* The rest: polinit gives up what it needed for the view, and starts the command. */
static int plan_for_command(struct spawn *s, const struct sandbox_view *view,
			    const struct plan_policy *policy, struct sandbox_programs *ret,
			    struct rt_err *err)
{
	static const enum step_id creds[] = { STEP_SECUREBITS, STEP_BOUNDING,
					      STEP_AMBIENT, STEP_CAPSET, STEP_NNP };
	struct plan_programs programs;
	int r;

	for (size_t i = 0; i < sizeof(creds) / sizeof(*creds); i++)
		(void)plan_add(&s->plan, creds[i], PLAN_INIT);
	r = plan_programs(s->run, view, &programs);
	plan_landlock(&s->plan, view, &programs, &policy->landlock, s->run->nlayers > 0);
	plan_command(&s->plan, s->run, policy);
	*ret = programs.ids;
	programs.ids = (struct sandbox_programs){ 0 };
	plan_programs_release(&programs);
	return r < 0 ? rt_fail_errno(err, -r, "the programs in PATH") : 0;
}

/* Sends the plan that was made; a further one begins with plan_init().  *sent is the result of
 * send_plan(), after a failure of which nothing more is sent. */
static int pass_plan(struct spawn *s, int *sent, struct rt_err *err)
{
	AUTO_FREE void *bytes = NULL;
	size_t size = 0;
	int r;

	if (s->plan.head.nslots > PLAN_MAX_SLOTS)
		return rt_fail(err, E2BIG,
			       "the view has %u places, more than %u: name "
			       "directories",
			       s->plan.head.nslots, PLAN_MAX_SLOTS);
	r = plan_finish(&s->plan, &bytes, &size);
#ifdef POL_TEST_STEPS
	/* gives a test time to exchange what polrun has seen */
	const char *pause = getenv("POL_TEST_PAUSE");

	if (pause && *pause && s->plan.head.more)
		(void)usleep(500000);
#endif
	if (r < 0)
		return rt_fail_errno(err, -r, "the plan");
	if (*sent == 0)
		*sent = send_plan(s, bytes, size);
	plan_release(&s->plan);
	return 0;
}

int sandbox_spawn_view(const struct sandbox_run *run, const struct sandbox_view *view,
		       const struct plan_policy *policy, struct rt_err *err)
{
	struct spawn s = { .run = run, .uid_out = sandbox_ids_of(run).uid_out,
			   .child = *run->ahead };
	int r, sent = 0;

	if (!plan_ground_fits(view))
		return rt_fail(err, EXDEV, "the view has a tree of the host's /proc");
	plan_init(&s.plan);
	r = plan_for_view(&s, view, policy, true, err);
	if (r == 0)
		r = s.plan.nfds ? -EINVAL : pass_plan(&s, &sent, err);
	plan_release(&s.plan);
	/* a polinit that has ended has said why: sandbox_spawn() reads it */
	return r < 0 || sent == -EPIPE || sent == -ECONNRESET ? r : sent;
}

/* Takes the child that was started ahead, or starts one; in a run as root the child
 * inherits the trees. */
static int take_child(struct spawn *s, struct rt_err *err)
{
	struct sandbox_ahead *ahead = s->run->ahead;

	/* a child that was started ahead inherits no trees, has a network of its own even
	 * if the run wants the host's, and has mounted what this plan mounts */
	if (ahead && !ahead->viewed)
		sandbox_ahead_release(ahead);
	if (!ahead || ahead->pid <= 0)
		return sandbox_launch(s->run, s->plan.fds, s->plan.nfds, &s->child,
				      err);
	s->child = *ahead;
	*ahead = (struct sandbox_ahead)SANDBOX_AHEAD_NONE;
	return 0;
}

static int room_for_trees(const struct sandbox_view *view, struct sandbox_child *ret,
			  struct rt_err *err)
{
	ret->trees = malloc(view->n * sizeof(*ret->trees));
	if (!ret->trees)
		return rt_fail(err, ENOMEM, "no memory for the trees");
	ret->ntrees = view->n;
	for (size_t i = 0; i < view->n; i++)
		ret->trees[i] = -1;
	return 0;
}

int sandbox_spawn(const struct sandbox_run *run, const struct sandbox_view *view,
		  const struct plan_policy *policy, struct sandbox_child *ret,
		  struct rt_err *err)
{
	struct spawn s = { .run = run, .child = SANDBOX_AHEAD_NONE };
	bool viewed;
	int r = 0, sent = 0;

	memset(ret, 0, sizeof(*ret));
	ret->listener = ret->status_fd = ret->init_pidfd = -1;
	for (int i = 0; i < GATE_SOCKET_COUNT; i++)
		ret->sockets[i] = -1;
	ret->root_fd = ret->copies_fd = -1;
	s.uid_out = sandbox_ids_of(run).uid_out;
	r = view->brokers ? room_for_trees(view, ret, err) : 0;
	plan_init(&s.plan);
	viewed = run->ahead && run->ahead->viewed;
	if (r == 0 && !viewed)
		r = plan_for_view(&s, view, policy, false, err);
	if (r == 0)
		r = take_child(&s, err);
	if (r == 0 && !viewed) {
		r = pass_plan(&s, &sent, err);
		plan_init(&s.plan);
	}
	if (r == 0) {
		r = plan_for_command(&s, view, policy, &ret->programs, err);
		if (r == 0)
			r = pass_plan(&s, &sent, err);
	}
	if (r == 0) {
		meanwhile(&s, 0, -1);
		r = wait_ready(&s, policy, sent, ret, err);
	}
	plan_release(&s.plan);
	if (r < 0) {
		sandbox_ahead_release(&s.child);
		sandbox_drop_sockets(ret);
		sandbox_drop_trees(ret);
		if (ret->listener >= 0)
			(void)close(ret->listener);
		ret->listener = -1;
		return r;
	}
	ret->init_pid = s.child.pid;
	ret->init_pidfd = s.child.pidfd;
	ret->status_fd = s.child.sock;
	return 0;
}
