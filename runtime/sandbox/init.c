/*
 * Pid 1 of the run.  It takes the plan from polrun, executes it and forks the command.
 * After that it only waits, reports and passes signals on.  It ends when the command
 * ends, and the kernel then kills everything that the command left behind.
 */
#include "runtime/sandbox/init.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/base/sys.h"
#include "runtime/sandbox/plan.h"
#include "runtime/sandbox/sandbox.h"
#include "runtime/sandbox/status.h"
#include "runtime/sandbox/steps.h"

/* The plan comes in messages of at most PLAN_CHUNK bytes; the first says how
 * large it is. */
static int receive_plan(int sock, const struct plan_head **ret, struct rt_err *err)
{
	char *bytes = NULL;
	size_t size = 0, have = 0;
	static char first[PLAN_CHUNK];

	do {
		char *to = bytes ? bytes + have : first;
		size_t room = bytes ? size - have : sizeof(first);
		ssize_t n = SYS_RETRY(read(sock, to, room));

		if (n < 0)
			return rt_fail_errno(err, errno, "receiving the plan");
		if (n == 0)
			_exit(125); /* polrun is gone */
		if (!bytes) {
			struct plan_head h;

			if ((size_t)n < sizeof(h))
				return rt_fail(err, EBADMSG, "the plan is too short");
			memcpy(&h, first, sizeof(h));
			size = h.size;
			if (size > PLAN_MAX || size < (size_t)n)
				return rt_fail(err, EBADMSG,
					       "the plan's size is damaged");
			bytes = malloc(size);
			if (!bytes)
				return rt_fail(err, ENOMEM, "no memory for the plan");
			memcpy(bytes, first, (size_t)n);
		}
		have += (size_t)n;
	} while (have < size);
	*ret = (const struct plan_head *)(const void *)bytes;
	return plan_check(bytes, size, err);
}

/* Takes one plan and executes the operations that come before the fork. */
static int follow_plan(struct init *in, struct rt_err *err)
{
	int r = receive_plan(in->sock, &in->plan, err);

	if (r < 0)
		return r;
	in->slots = reallocarray(in->slots, in->plan->nslots + 1, sizeof(*in->slots));
	if (!in->slots)
		return rt_fail(err, ENOMEM, "no memory for the trees");
	for (uint32_t i = 0; i <= in->plan->nslots; i++)
		in->slots[i] = -1;
	r = steps_run(in, PLAN_INIT, err);
	if (r == 0 && in->plan->tell) {
		r = status_send(in->sock, SANDBOX_MOUNTED, 0, NULL);
		if (r < 0)
			(void)rt_fail_errno(err, -r, "telling that the view stands");
	}
	return r;
}

/* Signals that somebody outside may mean for the command, and the end of a child. */
static const int passed[] = { SIGCHLD, SIGTERM, SIGHUP,  SIGUSR1, SIGUSR2,
			      SIGINT,  SIGQUIT, SIGTSTP, SIGCONT, SIGWINCH };

static int prepare(struct init *in, struct rt_err *err)
{
	struct sigaction sa;
	int r;

	(void)sigemptyset(&in->ignored);
	for (size_t i = 0; i < sizeof(passed) / sizeof(*passed); i++) {
		if (sigaction(passed[i], NULL, &sa) != 0)
			return rt_fail_errno(err, errno, "signal %d", passed[i]);
		if (sa.sa_handler == SIG_IGN)
			(void)sigaddset(&in->ignored, passed[i]);
	}
	(void)umask(0);
	do
		r = follow_plan(in, err);
	while (r == 0 && in->plan->more);
	return r;
}

struct reaper {
	int sock, sigfd;
	pid_t target;
	bool first;     /* pid 1 of a namespace; else kill(-1) would reach the host (only in a test) */
	bool held;      /* the user is asked: SANDBOX_HOLD */
	const sigset_t *ignored; /* by the caller */
	/* bits: signals for the target, and for its process group, that came while held */
	uint32_t later, later_group;
};

static void send_later(pid_t to, uint32_t bits)
{
	for (int sig = 1; sig < 32; sig++)
		if (bits & (1u << (sig - 1)))
			(void)kill(to, sig);
}

static void release(struct reaper *r)
{
	r->held = false;
	send_later(r->target, r->later);
	send_later(-r->target, r->later_group);
	r->later = r->later_group = 0;
}

/*
 * polrun queues a signal that is meant for the command alone.  Any other has come to polrun's process
 * group, of which polinit is one, from a terminal or by kill(2): it is for the whole group of the run.
 * Sent while the run is held it could continue it.
 */
static void pass_on(struct reaper *r, int sig, bool queued)
{
	const pid_t group = step_on(STEP_PGRP) ? -r->target : r->target;

	if (!queued && sig != SIGCONT && sigismember(r->ignored, sig))
		return;
	if (r->held)
		*(queued ? &r->later : &r->later_group) |= 1u << (sig - 1);
	else
		(void)kill(queued ? r->target : group, sig);
}

/* Handles a signal that somebody outside sent to polinit. */
static void take_signals(struct reaper *r)
{
	struct signalfd_siginfo si;

	while (read(r->sigfd, &si, sizeof(si)) == (ssize_t)sizeof(si)) {
		const int sig = (int)si.ssi_signo;
		const bool outside = si.ssi_pid == 0 &&
				     (si.ssi_code == SI_USER || si.ssi_code == SI_QUEUE || si.ssi_code == SI_KERNEL);

		if (sig == SANDBOX_HOLD && outside)
			r->held = true;
		else if (sig == SANDBOX_STOP_ALL && r->first)
			(void)kill(-1, SIGSTOP); /* a process of the run could do that, too */
		else if (sig == SANDBOX_RELEASE && outside)
			release(r);
		else if (sig < 32 && sig != SIGCHLD && outside)
			pass_on(r, sig, si.ssi_code == SI_QUEUE);
	}
}

/* True when the command has ended and its status has been reported. */
static bool reap(const struct reaper *r)
{
	int st;
	pid_t p;

	while ((p = wait4(-1, &st, WNOHANG | (r->held ? 0 : WUNTRACED), NULL)) > 0) {
		if (p != r->target)
			continue;
		if (WIFSTOPPED(st)) {
			(void)status_send(r->sock, SANDBOX_STOPPED, WSTOPSIG(st), NULL);
			continue;
		}
		(void)status_send(r->sock, SANDBOX_EXITED, st, NULL);
		return true;
	}
	return false;
}

static void __attribute__((noreturn)) supervise_target(struct reaper *r)
{
	struct pollfd p[2] = {
		{ .fd = r->sigfd, .events = POLLIN },
		/* only a hang-up is reported */
		{ .fd = step_on(STEP_HANGUP) ? r->sock : -1, .events = 0 },
	};

	for (;;) {
		if (poll(p, 2, -1) < 0 && errno != EINTR)
			_exit(125);
		if (p[1].revents & (POLLHUP | POLLERR))
			_exit(125);
		if (p[0].revents & POLLIN)
			take_signals(r);
		if (reap(r))
			_exit(0);
	}
}

static void __attribute__((noreturn)) fail(int sock, struct rt_err *err)
{
	(void)status_send(sock, SANDBOX_FAILED, err->err, err);
	_exit(125);
}

static int close_but(int a, int b)
{
	unsigned low = (unsigned)(a < b ? a : b), high = (unsigned)(a < b ? b : a);

	if (sys_close_range(0, low - 1, 0) < 0 ||
	    (low + 1 < high && sys_close_range(low + 1, high - 1, 0) < 0))
		return -1;
	return sys_close_range(high + 1, ~0u, 0);
}

int init_main(int sock)
{
	struct init in = { .sock = sock,
			   .base = -1,
			   .root = -1,
			   .masks = -1,
			   .made = -1,
			   .scratch = -1,
			   .copies = -1,
			   .ruleset = -1,
			   .listener = -1 };
	struct rt_err err = { 0 };
	/* before the filter, which does not allow getpid() */
	struct reaper reaper = { .sock = sock, .first = getpid() == 1, .ignored = &in.ignored };
	sigset_t mask;
	pid_t target;
	int sigfd;

	if (prepare(&in, &err) < 0)
		fail(sock, &err);
	(void)sigemptyset(&mask);
	for (size_t i = 0; i < sizeof(passed) / sizeof(*passed); i++)
		(void)sigaddset(&mask, passed[i]);
	for (int sig = SANDBOX_HOLD; sig <= SANDBOX_RELEASE; sig++)
		(void)sigaddset(&mask, sig);
	if (sigprocmask(SIG_SETMASK, &mask, NULL) < 0) {
		(void)rt_fail_errno(&err, errno, "blocking signals");
		fail(sock, &err);
	}
	sigfd = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
	if (sigfd < 0) {
		(void)rt_fail_errno(&err, errno, "signalfd");
		fail(sock, &err);
	}
	target = fork();
	if (target < 0) {
		(void)rt_fail_errno(&err, errno, "fork of the command");
		fail(sock, &err);
	}
	if (target == 0) {
		(void)steps_run(&in, PLAN_TARGET, &err);
		fail(sock, &err);
	}
	/* 0-2 belong to the command: the reader of a pipe waits until every writer has
	 * closed it */
	if (close_but(sock, sigfd) < 0) {
		(void)rt_fail_errno(&err, errno, "closing descriptors");
		fail(sock, &err);
	}
	if (steps_run(&in, PLAN_REAPER, &err) < 0)
		fail(sock, &err);
	reaper.sigfd = sigfd;
	reaper.target = target;
	supervise_target(&reaper);
}
