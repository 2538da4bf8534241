/* The command's life: its status, its stops, signals and the clock, and the end of the run
 * when a wall has gone. */
#include "runtime/supervise/loop.h"

#include <errno.h>
#include <poll.h>
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

#define GRACE_MS 2000 /* between TERM and KILL */
#define BEAT_MS 1000  /* nobody can stop polrun for longer than this */

uint64_t loop_now(void)
{
	return (uint64_t)sys_now_ms();
}

int loop_set_timer(struct loop *l, uint64_t at_ms)
{
	struct itimerspec its = { 0 };

	its.it_value.tv_sec = (time_t)(at_ms / 1000);
	its.it_value.tv_nsec = (long)(at_ms % 1000) * 1000000 + 1;
	return timerfd_settime(l->timer, TFD_TIMER_ABSTIME, &its, NULL);
}

int loop_set_waker(const struct loop *l)
{
	bool often = l->walls->poll_ms >= 0;
	uint64_t beat = often ? 2 * (uint64_t)l->walls->poll_ms : BEAT_MS, now = loop_now();
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

/* Passes a signal on that somebody has sent to polrun's number: it was meant for the command alone. */
static void signal_command(struct loop *l, int sig)
{
	siginfo_t info = { .si_signo = sig, .si_code = SI_QUEUE };

	(void)sys_pidfd_send_signal(l->child->init_pidfd, sig, &info, 0);
}

/* --- the command's life ------------------------------------------------- */

void loop_kill(struct loop *l)
{
	l->phase = PH_KILLED;
	signal_init(l, SIGKILL); /* the kernel kills the namespace with its init */
}

static void note_moves(struct loop *l)
{
	if (l->brokered.on)
		held_moved(&l->brokered.held);
}

/* True if every one stands; else the run is ended. */
static bool check_walls(struct loop *l)
{
	size_t gone;
	int r;

	l->looked_ms = loop_now();
	r = walls_check(l->walls, &gone);
	note_moves(l);
	if (r == 0 && gone == WALLS_STAND)
		return true;
	loop_kill(l);
	if (gone != WALLS_STAND)
		l->ret->wall = &l->walls->view->walls[gone];
	if (r == 0)
		return false;
	l->failed = rt_fail_errno(l->err, -r, "looking at the sandbox's mounts");
	l->ended = true;
	return false;
}

void loop_look_at_walls(struct loop *l)
{
	if (l->ret->wall || l->failed || !check_walls(l))
		return;
	loop_look_at_files(l);
	(void)loop_set_waker(l);
}

bool loop_look_in_between(void *arg)
{
	struct loop *l = arg;

	if (l->ret->wall || l->failed)
		return false;
	return !walls_changed(l->walls) || check_walls(l);
}

void loop_look_at_files(struct loop *l)
{
	struct supervise_result *ret = l->ret;
	struct held_lost lost;

	if (!l->brokered.on || ret->wall || l->failed)
		return;
	left_open_read(&l->brokered.open, &lost);
	if (!lost.path[0])
		held_step(&l->brokered.held, &lost);
	if (!lost.path[0])
		return;
	loop_kill(l);
	memcpy(ret->lost_path, lost.path, sizeof(ret->lost_path));
	ret->lost = (struct sandbox_wall){ .path = ret->lost_path, .kind = SANDBOX_WALL_NAME,
					   .rule = lost.rule };
	ret->wall = &ret->lost;
}

/* Stops as the command did.  Where nobody could continue polrun the kernel does not stop it: then the
 * run goes on, as a program does that meets ^Z in such a process group. */
static void stop_self(struct loop *l)
{
	l->continued = false;
	terminal_stop(l->terminal, l->stop_signal);
	loop_drain_signals(l);
	if (!l->continued && l->stop_signal == SIGTSTP) {
		l->stopped = false;
		signal_init(l, SIGCONT);
	}
}

void loop_stop(struct loop *l)
{
	/* what is new is watched from then on, so that polrun can stop */
	if (!l->stopped)
		note_moves(l);
	loop_look_at_files(l);
	l->stopped = true;
	/* many files: the loop looks at the rest, and comes back when nothing has happened for a while */
	if (held_wait(&l->brokered.held, sys_now_ms()) == 0 && !l->ret->wall) {
		(void)walls_wake(l->walls, false);
		(void)loop_set_waker(l);
		return;
	}
	if (walls_wake(l->walls, true)) {
		loop_drain_signals(l); /* a stop would discard a pending CONT */
		if (walls_changed(l->walls))
			loop_look_at_walls(l);
		(void)loop_set_waker(l);
		if (l->stopped && l->phase == PH_RUNNING)
			stop_self(l);
		(void)walls_wake(l->walls, false);
		if (!l->stopped) /* continued before the stop */
			(void)walls_wake(l->walls, true);
		loop_drain_signals(l);
	} else {
		l->stopped = false;
	}
	(void)loop_set_waker(l);
	if (walls_changed(l->walls))
		loop_look_at_walls(l);
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

/* A run in the background that reads the terminal gets it, if polrun has it. */
static void command_stopped(struct loop *l, int sig)
{
	if ((sig == SIGTTIN || sig == SIGTTOU) && terminal_give(l->terminal)) {
		signal_init(l, SIGCONT);
		return;
	}
	l->stop_signal = sig;
	loop_stop(l);
}

static void on_status(struct loop *l, const struct sandbox_status *s)
{
	switch ((enum sandbox_event)s->event) {
	case SANDBOX_READY:
	case SANDBOX_MOUNTED:
	case SANDBOX_SOCKETS:
	case SANDBOX_TREE:
		return;
	case SANDBOX_STOPPED:
		if (l->phase == PH_RUNNING)
			command_stopped(l, s->value);
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
	loop_kill(l);
}

int loop_read_status(struct loop *l)
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

void loop_init_gone(struct loop *l)
{
	int st = 0;
	pid_t p;

	/* Read the last message that was sent. */
	while (l->child->status_fd >= 0 && !l->ended && loop_read_status(l) > 0)
		;
	loop_kill(l);
	do {
		p = waitpid(l->child->init_pid, &st, 0);
	} while (p < 0 && errno == EINTR);
	/* The mounts outlive the run, so a wall that was lost before its end still
	 * shows. */
	if (walls_changed(l->walls) || l->walls->poll_ms >= 0)
		loop_look_at_walls(l);
	while (held_wait(&l->brokered.held, sys_now_ms()) == 0 && !l->ret->wall && !l->failed)
		loop_look_at_files(l);
	if (l->ret->wall && !l->failed) {
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

void loop_deadline(struct loop *l)
{
	if (l->phase == PH_RUNNING) {
		l->ret->timed_out = true;
		l->phase = PH_ENDING;
		l->stopped = false;
		signal_command(l, SIGTERM);
		signal_init(l, SIGCONT); /* a stopped command gets TERM, too */
		if (loop_set_timer(l, loop_now() + GRACE_MS) != 0)
			loop_kill(l); /* otherwise nothing would end it */
	} else if (l->phase == PH_ENDING) {
		loop_kill(l);
	}
}

/*
 * The run's pid 1 is in polrun's process group and passes on to the run's what a terminal or kill(2)
 * sends to all of that.  So polrun passes on what has its own number, and to the command alone.
 */
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
			signal_command(l, sig);
		break;
	case SIGINT:
	case SIGQUIT:
		if (sent && !sigismember(&l->ignored, sig))
			signal_command(l, sig);
		break;
	case SIGTSTP:
		if (sent && !sigismember(&l->ignored, sig) && si->ssi_pid != (uint32_t)getpid())
			signal_command(l, sig);
		break;
	case SIGCONT:
		if (si->ssi_code == SI_TIMER) {
			(void)loop_set_waker(l);
			break;
		}
		if (l->stopped && (si->ssi_code < POLL_IN || si->ssi_code > POLL_HUP)) {
			l->stopped = false;
			l->continued = true;
			terminal_give_again(l->terminal);
			(void)walls_wake(l->walls, true);
			(void)loop_set_waker(l);
		}
		if (sent)
			signal_init(l, SIGCONT); /* all of the run: all of it was stopped */
		break;
	default: /* TTIN, TTOU: sent by hand; the run's own stops are reported */
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

int loop_block_signals(struct rt_err *err)
{
	sigset_t set;

	watched_set(&set);
	return sigprocmask(SIG_BLOCK, &set, NULL) == 0 ? 0 :
		       rt_fail_errno(err, errno, "cannot block signals");
}

int loop_take_signals(struct loop *l)
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
	return loop_block_signals(l->err);
}

void loop_drain_signals(struct loop *l)
{
	struct signalfd_siginfo si;

	while (read(l->signals, &si, sizeof(si)) == (ssize_t)sizeof(si))
		on_signal(l, &si);
}
