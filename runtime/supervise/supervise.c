/* The supervisor's loop: answers the listener, follows the command's life, passes
 * signals on, and ends the run at its time limit.  When the command has ended, it kills
 * the run's init and waits for it, so that nothing of the sandbox is left. */
#include "runtime/supervise/supervise.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/base/sys.h"
#include "runtime/supervise/confine.h"
#include "runtime/supervise/listener.h"
#include "runtime/supervise/waker.h"

#define GRACE_MS 2000 /* between TERM and KILL */
#define QUIET_MS 100  /* without a change; then polrun of a stopped run stops again */
#define BEAT_MS 1000  /* nobody can stop polrun for longer than this */

enum phase { PH_RUNNING, PH_ENDING, PH_KILLED };

struct loop {
	const struct sandbox_run *run;
	struct sandbox_child *child;
	struct supervise_result *ret;
	struct rt_err *err;
	struct listener listener;
	struct walls *walls;
	struct unreached *unreached;
	struct gateway *gateway;
	int signals, timer;
	struct waker waker;
	enum phase phase;
	bool dropped;       /* the program's pages were given back */
	bool stopped;       /* the command has stopped, and nobody has continued it yet */
	bool ended;         /* the command's status is known, or will never be known */
	int failed;         /* -errno: polrun itself failed */
	uint64_t start_ms, limit_ms; /* limit 0: no limit */
	uint64_t looked_ms; /* time of the last look at the walls */
	sigset_t ignored;   /* the caller ignored these, so polrun does too */
};

static uint64_t now_ms(void)
{
	struct timespec ts;

	(void)clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
}

static int set_timer(struct loop *l, uint64_t at_ms)
{
	struct itimerspec its = { 0 };

	its.it_value.tv_sec = (time_t)(at_ms / 1000);
	its.it_value.tv_nsec = (long)(at_ms % 1000) * 1000000 + 1;
	return timerfd_settime(l->timer, TFD_TIMER_ABSTIME, &its, NULL);
}

/*
 * Sets the timers for a stopped polrun.  If somebody stops polrun (kill -STOP), it must
 * still enforce the time limit and look at the walls.  If polrun stops as its command
 * did, only the time limit needs a timer: changes then send a signal.
 */
static int set_waker(const struct loop *l)
{
	bool often = l->walls->poll_ms >= 0;
	uint64_t beat = often ? 2 * (uint64_t)l->walls->poll_ms : BEAT_MS, now = now_ms();
	uint64_t limit = l->limit_ms ? l->start_ms + l->limit_ms : 0;
	uint64_t at = l->stopped ? 0 : now + beat;

	if (limit > now && (!at || limit < at))
		at = limit;
	return waker_set(&l->waker, at, beat);
}

static void signal_init(struct loop *l, int sig)
{
	(void)sys_pidfd_send_signal(l->child->init_pidfd, sig, NULL, 0);
}

static void drain_signals(struct loop *l);

/* --- the command's life ------------------------------------------------- */

static void kill_all(struct loop *l)
{
	l->phase = PH_KILLED;
	signal_init(l, SIGKILL); /* the kernel kills the namespace with its init */
}

/*
 * Looks at every wall.  A wall that has gone ends the run at once, because from that
 * moment the command can reach what the wall protected.
 */
static void look_at_walls(struct loop *l)
{
	size_t gone;
	int r;

	if (l->ret->wall != WALLS_STAND || l->failed)
		return;
	l->looked_ms = now_ms();
	r = walls_check(l->walls, &gone);
	if (r == 0 && gone == WALLS_STAND) {
		(void)set_waker(l);
		return;
	}
	kill_all(l);
	l->ret->wall = gone;
	if (r == 0)
		return;
	l->failed = rt_fail_errno(l->err, -r, "looking at the sandbox's mounts");
	l->ended = true;
}

/*
 * Stops as the command did, so that the caller's shell sees it.  A command must not
 * escape its time limit or the watch on its walls by stopping itself while some of its
 * processes continue; so the waker, and a change outside, wake polrun.  After a change
 * polrun stays awake until nothing has changed for QUIET_MS, with these signals off:
 * among many of them the caller's own CONT would be lost.
 */
static void stop_too(struct loop *l)
{
	l->stopped = true;
	if (walls_wake(l->walls, true)) {
		drain_signals(l); /* a stop would discard a pending CONT */
		if (walls_changed(l->walls))
			look_at_walls(l);
		(void)set_waker(l);
		if (l->stopped && l->phase == PH_RUNNING)
			(void)syscall(SYS_tgkill, getpid(), gettid(), SIGSTOP);
		(void)walls_wake(l->walls, false);
		if (!l->stopped) /* continued before the stop */
			(void)walls_wake(l->walls, true);
		drain_signals(l);
	} else {
		l->stopped = false;
	}
	(void)set_waker(l);
	if (walls_changed(l->walls))
		look_at_walls(l);
}

static void set_exit(struct loop *l, int wait_status)
{
	struct supervise_result *r = l->ret;

	if (WIFSIGNALED(wait_status)) {
		r->signal = WTERMSIG(wait_status);
		r->status = 128 + r->signal;
	} else {
		r->exit_code = WEXITSTATUS(wait_status);
		r->status = r->exit_code;
	}
	if (r->timed_out)
		r->status = 124;
}

static void exec_failed(struct loop *l, int error)
{
	char name[256];

	io_escape(name, sizeof(name), l->run->argv[0], strlen(l->run->argv[0]));
	l->ret->status = error == ENOENT || error == ENOTDIR ? 127 : 126;
	/* The lookup found the file, so its interpreter or loader is missing. */
	if (error == ENOENT && l->run->exec_path)
		(void)rt_fail(l->err, error,
			      "%s: its interpreter or loader is not in the sandbox", name);
	else
		(void)rt_fail_errno(l->err, error,
				    "%s: cannot be executed in the sandbox", name);
}

static void on_status(struct loop *l, const struct sandbox_status *s)
{
	switch ((enum sandbox_event)s->event) {
	case SANDBOX_READY:
	case SANDBOX_MOUNTED:
	case SANDBOX_SOCKETS:
		return;
	case SANDBOX_STOPPED:
		if (l->phase == PH_RUNNING)
			stop_too(l);
		return;
	case SANDBOX_EXITED:
		set_exit(l, s->value);
		l->ret->cpu_ms = s->cpu_us / 1000;
		l->ret->memory_peak_bytes = s->max_rss_kib * 1024;
		break;
	case SANDBOX_EXEC_FAILED:
		exec_failed(l, s->value);
		break;
	case SANDBOX_FAILED:
		if (l->err)
			*l->err = s->err;
		l->failed = s->err.err ? -s->err.err : -EIO;
		break;
	default:
		l->failed = rt_fail(l->err, EPROTO, "the sandbox's init sent nonsense");
		break;
	}
	l->ended = true;
	kill_all(l);
}

/* Reads one status.  1: done; 0: none is there now; -1: there will be no more. */
static int read_status(struct loop *l)
{
	struct sandbox_status s;
	ssize_t n = SYS_RETRY(recv(l->child->status_fd, &s, sizeof(s), MSG_DONTWAIT));

	if (n < 0 && errno == EAGAIN)
		return 0;
	if (n <= 0)
		return -1;
	if ((size_t)n == sizeof(s)) {
		s.err.text[sizeof(s.err.text) - 1] = '\0';
		s.err.step[sizeof(s.err.step) - 1] = '\0';
	} else {
		s.event = 0; /* malformed */
	}
	if (!l->ended)
		on_status(l, &s);
	return 1;
}

static void init_gone(struct loop *l)
{
	int st = 0;
	pid_t p;

	/* Read the last message that was sent. */
	while (l->child->status_fd >= 0 && !l->ended && read_status(l) > 0)
		;
	kill_all(l);
	do {
		p = waitpid(l->child->init_pid, &st, 0);
	} while (p < 0 && errno == EINTR);
	/* The mounts outlive the run, so a wall that was lost before its end still
	 * shows. */
	if (walls_changed(l->walls) || l->walls->poll_ms >= 0)
		look_at_walls(l);
	if (l->ret->wall != WALLS_STAND && !l->failed) {
		l->ret->status = WALL_STATUS;
		l->ended = true;
	}
	if (l->ended)
		return;
	l->ended = true;
	if (l->ret->timed_out)
		l->ret->status = 124;
	else if (p > 0 && WIFSIGNALED(st))
		l->failed = rt_fail(l->err, ECHILD,
				    "the sandbox's init was ended by signal %d",
				    WTERMSIG(st));
	else
		l->failed = rt_fail(l->err, ECHILD,
				    "the sandbox's init ended before the command");
}

/* --- clock and signals ----------------------------------------------------- */

static void on_deadline(struct loop *l)
{
	if (l->phase == PH_RUNNING) {
		l->ret->timed_out = true;
		l->phase = PH_ENDING;
		l->stopped = false;
		signal_init(l, SIGTERM);
		signal_init(l, SIGCONT); /* a stopped command gets TERM, too */
		if (set_timer(l, now_ms() + GRACE_MS) != 0)
			kill_all(l); /* otherwise nothing would end it */
	} else if (l->phase == PH_ENDING) {
		kill_all(l);
	}
}

static void on_signal(struct loop *l, const struct signalfd_siginfo *si)
{
	int sig = (int)si->ssi_signo;
	bool sent = si->ssi_code <= 0 && si->ssi_code != SI_TIMER;

	switch (sig) {
	case SIGTERM:
	case SIGHUP:
	case SIGUSR1:
	case SIGUSR2:
		if (!sigismember(&l->ignored, sig))
			signal_init(l, sig);
		break;
	case SIGINT:
	case SIGQUIT:
	case SIGTSTP:
		/* The command receives signals from the terminal directly.  A signal
		   sent with kill() was meant for the command and reached only polrun. */
		if (sent && !sigismember(&l->ignored, sig))
			signal_init(l, sig);
		break;
	case SIGCONT:
		if (si->ssi_code == SI_TIMER) {
			(void)set_waker(l);
		} else if (l->stopped &&
			   (si->ssi_code < POLL_IN || si->ssi_code > POLL_HUP)) {
			l->stopped = false;
			(void)walls_wake(l->walls, true);
			(void)set_waker(l);
		}
		if (sent)
			signal_init(l, SIGCONT);
		break;
	default: /* TTIN, TTOU: the command received them, too, and reports its stop */
		break;
	}
}

static const int watched[] = { SIGTERM, SIGHUP,	 SIGUSR1, SIGUSR2, SIGINT,
			       SIGQUIT, SIGTSTP, SIGTTIN, SIGTTOU, SIGCONT };

static void watched_set(sigset_t *set)
{
	(void)sigemptyset(set);
	for (size_t i = 0; i < sizeof(watched) / sizeof(watched[0]); i++)
		(void)sigaddset(set, watched[i]);
}

int supervise_block_signals(struct rt_err *err)
{
	sigset_t set;

	watched_set(&set);
	return sigprocmask(SIG_BLOCK, &set, NULL) == 0 ? 0 :
		       rt_fail_errno(err, errno, "cannot block signals");
}

static int take_signals(struct loop *l)
{
	struct sigaction sa;
	sigset_t set;

	(void)sigemptyset(&l->ignored);
	for (size_t i = 0; i < sizeof(watched) / sizeof(watched[0]); i++) {
		if (sigaction(watched[i], NULL, &sa) != 0)
			return rt_fail_errno(l->err, errno, "signal %d", watched[i]);
		if (sa.sa_handler == SIG_IGN)
			(void)sigaddset(&l->ignored, watched[i]);
	}
	/* Writing to a closed pipe must be an error and not end polrun. */
	memset(&sa, 0, sizeof(sa));
	sa.sa_handler = SIG_IGN;
	if (sigaction(SIGPIPE, &sa, NULL) != 0)
		return rt_fail_errno(l->err, errno, "SIGPIPE");
	watched_set(&set);
	l->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (l->signals < 0)
		return rt_fail_errno(l->err, errno, "cannot make a signal descriptor");
	return supervise_block_signals(l->err);
}

/* --- start and end -------------------------------------------------------------- */

static int take_clock(struct loop *l)
{
	const struct pb_limit *time = bundle_limit(l->run->bundle, PB_L_TIME);
	int r = waker_init(&l->waker, l->err);

	if (r < 0)
		return r;
	l->start_ms = now_ms();
	l->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (l->timer < 0)
		return rt_fail_errno(l->err, errno, "cannot make a timer");
	if (time)
		l->limit_ms = time->value ? time->value : 1;
	if (l->limit_ms > UINT64_C(1) << 50)
		l->limit_ms = UINT64_C(1) << 50;
	if ((l->limit_ms && set_timer(l, l->start_ms + l->limit_ms) != 0) || set_waker(l) < 0)
		return rt_fail_errno(l->err, errno, "cannot make a timer");
	return 0;
}

/* Closes the command's input and output.  If polrun kept them, a pipe that the command
 * has closed would stay open. */
static int let_go_of_streams(struct loop *l)
{
	AUTO_CLOSE int null = sys_open("/dev/null", O_RDWR | O_CLOEXEC, 0);

	if (null < 0 || SYS_RETRY(dup2(null, 0)) < 0 || SYS_RETRY(dup2(null, 1)) < 0)
		return rt_fail_errno(l->err, errno, "/dev/null");
	return 0;
}

/* In a build for step-mutants.sh: makes the supervisor open a path by name. */
static void open_by_name(void)
{
#ifdef POL_TEST_STEPS
	if (getenv("POL_SUPERVISOR_OPENS"))
		(void)open("/etc/passwd", O_RDONLY | O_CLOEXEC);
#endif
}

static int prepare(struct loop *l, const struct sandbox_view *view)
{
	int r = take_clock(l);

	/* with a gateway every packet has a route, and the gateway tells what it refused */
	if (!l->run->host_network && !l->run->gateway)
		unreached_open(l->unreached, l->child->init_pid);
	if (r == 0)
		r = take_signals(l);
	if (r == 0)
		r = listener_init(&l->listener, l->run, view, l->child,
				  &l->ret->denials, l->err);
	if (r == 0)
		r = walls_init(l->walls, view, l->child, l->err);
	if (r == 0) {
		l->ret->walls = walls_mechanism(l->walls);
		if (!walls_stand_yet(l->walls))
			look_at_walls(l);
		/* Somebody may stop polrun with SIGSTOP, which it cannot handle. */
		(void)walls_wake(l->walls, true);
	}
	if (r == 0 && l->run->gateway)
		r = gateway_give(l->gateway, l->child, l->err);
	/* if a wall had gone, the command could start before the signal that ends it
	 * arrives */
	if (r == 0 && l->phase == PH_RUNNING)
		r = sandbox_go(l->child, l->err);
	if (r == 0)
		r = let_go_of_streams(l);
	if (r == 0)
		r = confine_self(l->err);
	if (r == 0)
		open_by_name();
	return r;
}

static void drain_signals(struct loop *l)
{
	struct signalfd_siginfo si;

	while (read(l->signals, &si, sizeof(si)) == (ssize_t)sizeof(si))
		on_signal(l, &si);
}

static void drain_timer(struct loop *l)
{
	uint64_t ticks;

	if (read(l->timer, &ticks, sizeof(ticks)) == (ssize_t)sizeof(ticks))
		on_deadline(l);
}

/* Answers a call.  If that fails the run ends, since the caller would wait until the
 * time limit. */
static void serve(struct loop *l)
{
	int r = listener_serve(&l->listener);

	if (r == 0 || l->ended)
		return;
	l->failed = rt_fail_errno(l->err, -r, "answering a system call");
	l->ended = true;
	kill_all(l);
}

/* Without its gateway the run would go on with a network that answers nothing; without
 * its asker it may stand still. */
static void lose_gateway(struct loop *l, int r, const char *what)
{
	l->failed = r == -ECHILD ? rt_fail(l->err, ECHILD, "%s has ended, and with it the run", what)
				 : rt_fail_errno(l->err, -r, "%s", what);
	l->ended = true;
	kill_all(l);
}

static void hear_gateway(struct loop *l)
{
	int r = gateway_serve(l->gateway, &l->ret->denials);

	if (r < 0 && !l->ended)
		lose_gateway(l, r, "the egress gateway");
}

static void hear_answer(struct loop *l)
{
	int r = gateway_hear_answer(l->gateway);

	if (r < 0 && !l->ended)
		lose_gateway(l, r, "the process that asks about connections");
}

/* Waits for events.  After a while without any it gives the program's pages back: in a
 * short run they cost more time than memory. */
static int wait_for(struct loop *l, struct pollfd *p, nfds_t count)
{
	int most = l->stopped && l->walls->poll_ms < 0 ? QUIET_MS : l->walls->poll_ms;
	bool again = !l->dropped && most < 0;
	int n = poll(p, count, again ? QUIET_MS : unreached_wait(l->unreached, now_ms(), most));

	if (n != 0 || l->dropped)
		return n;
	drop_program_pages();
	l->dropped = true;
	return again ? poll(p, count, unreached_wait(l->unreached, now_ms(), most)) : n;
}

/* If no event reports changes, the command must not keep the loop so busy that it never
 * looks at the walls. */
static bool walls_due(const struct loop *l)
{
	return l->walls->poll_ms >= 0 &&
	       now_ms() - l->looked_ms >= (uint64_t)l->walls->poll_ms;
}

static void run_loop(struct loop *l)
{
	enum { P_INIT, P_STATUS, P_SIGNALS, P_TIMER, P_MOUNTS, P_MOVES, P_GATEWAY, P_ANSWERS, P_LISTENER,
	       P_COUNT };
	struct pollfd p[P_COUNT] = {
		[P_INIT] = { l->child->init_pidfd, POLLIN, 0 },
		[P_STATUS] = { l->child->status_fd, POLLIN, 0 },
		[P_SIGNALS] = { l->signals, POLLIN, 0 },
		[P_TIMER] = { l->timer, POLLIN, 0 },
		[P_MOUNTS] = { l->walls->mountinfo, POLLPRI, 0 },
		[P_MOVES] = { l->walls->moves, POLLIN, 0 },
		[P_GATEWAY] = { l->gateway->sock, POLLIN, 0 },
		[P_ANSWERS] = { l->gateway->ask, POLLIN, 0 },
	};

	for (;;) {
		p[P_LISTENER] = (struct pollfd){ l->listener.fd, POLLIN, 0 };
		int n = wait_for(l, p, P_COUNT);
		if (n < 0) {
			if (errno == EINTR)
				continue;
			l->failed = rt_fail_errno(l->err, errno, "waiting for the run");
			l->ended = true;
			break;
		}
		if (l->dropped) /* never in a short run */
			unreached_look(l->unreached, now_ms());
		/* before anything else: what a lost wall protected is already open */
		if (p[P_MOUNTS].revents || p[P_MOVES].revents || walls_due(l))
			look_at_walls(l);
		else if (n == 0 && l->stopped && l->phase == PH_RUNNING)
			stop_too(l);
		if (p[P_TIMER].revents)
			drain_timer(l);
		if (p[P_SIGNALS].revents)
			drain_signals(l);
		if (p[P_GATEWAY].revents)
			hear_gateway(l);
		if (p[P_ANSWERS].revents && !l->ended)
			hear_answer(l);
		if (l->ended) /* gateway_finish() takes the rest */
			p[P_GATEWAY].fd = p[P_ANSWERS].fd = -1;
		if (p[P_LISTENER].revents & POLLIN)
			serve(l);
		else if (p[P_LISTENER].revents)
			listener_release(&l->listener);
		if (p[P_STATUS].revents && read_status(l) < 0) {
			p[P_STATUS].fd = -1; /* the pidfd will report its end */
			kill_all(l);
		}
		if (l->ended)
			p[P_STATUS].fd = -1; /* no more status is expected */
		if (p[P_INIT].revents)
			break;
	}
	init_gone(l);
}

int supervise(const struct sandbox_run *run, const struct sandbox_view *view,
	      struct sandbox_child *child, struct walls *walls, struct unreached *unreached,
	      struct gateway *gateway, struct supervise_result *ret, struct rt_err *err)
{
	struct loop l = { .run = run,
			  .unreached = unreached,
			  .gateway = gateway,
			  .child = child,
			  .ret = ret,
			  .err = err,
			  .walls = walls,
			  .signals = -1,
			  .timer = -1 };
	int r;

	memset(ret, 0, sizeof(*ret));
	ret->wall = WALLS_STAND;
	ret->status = 125;
	ret->exit_code = -1;
	l.listener.fd = -1;
	r = prepare(&l, view);
	if (r == 0) {
		run_loop(&l);
		(void)waker_set(&l.waker, 0, 0);
		r = l.failed;
	} else {
		(void)kill(child->init_pid, SIGKILL);
		while (waitpid(child->init_pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	ret->wall_ms = now_ms() - l.start_ms;
	gateway_finish(gateway, &ret->denials);
	unreached_end(unreached, ret->status != 0);
	listener_release(&l.listener);
	walls_release(l.walls);
	if (l.signals >= 0)
		(void)close(l.signals);
	if (l.timer >= 0)
		(void)close(l.timer);
	if (r < 0)
		ret->status = 125;
	return r;
}
