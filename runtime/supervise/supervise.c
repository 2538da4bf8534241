/* The supervisor's loop: answers the listener, follows the command's life, passes
 * signals on, and ends the run at its time limit.  When the command has ended, it kills
 * the run's init and waits for it, so that nothing of the sandbox is left. */
#include "runtime/supervise/supervise.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/base/sys.h"
#include "runtime/supervise/confine.h"
#include "runtime/supervise/loop.h"

/* --- start and end -------------------------------------------------------------- */

static int take_clock(struct loop *l)
{
	const struct pb_limit *time = bundle_limit(l->run->bundle, PB_L_TIME);
	int r = waker_init(&l->waker, l->err);

	if (r < 0)
		return r;
	l->start_ms = loop_now();
	l->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (l->timer < 0)
		return rt_fail_errno(l->err, errno, "cannot make a timer");
	if (time)
		l->limit_ms = time->value ? time->value : 1;
	if (l->limit_ms > UINT64_C(1) << 50)
		l->limit_ms = UINT64_C(1) << 50;
	if ((l->limit_ms && loop_set_timer(l, l->start_ms + l->limit_ms) != 0) || loop_set_waker(l) < 0)
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
	if (!l->run->host_network)
		unpublished_open(l->unpublished, l->child->init_pid);
	if (r == 0)
		r = loop_take_signals(l);
	if (r == 0)
		r = listener_init(&l->listener, l->run, view, l->child,
				  &l->ret->denials, l->err);
	l->listener.trace.judge.touched = l->ret->touched;
	if (r == 0)
		r = brokered_init(&l->brokered, l->run, view, l->child, l->ret->effects, l->err);
	l->listener.brokered = &l->brokered;
	l->brokered.look = loop_look_in_between;
	l->brokered.look_arg = l;
	if (r == 0)
		r = walls_init(l->walls, view, l->child, l->err);
	l->walls->names.held = &l->brokered.held;
	l->walls->names.strict = !l->run->landlock_abi;
	l->brokered.held.events = l->walls->watch.moves;
	if (r == 0 && l->brokered.on)
		r = left_open_init(&l->brokered.open, view, &l->brokered.held, l->run->open_list, l->run->open_lock,
				   l->err);
	if (r == 0) {
		l->ret->walls = walls_mechanism(l->walls);
		if (!walls_stand_yet(l->walls))
			loop_look_at_walls(l);
		/* Somebody may stop polrun with SIGSTOP, which it cannot handle. */
		(void)walls_wake(l->walls, true);
	}
	if (r == 0 && l->run->gateway)
		r = gateway_give(l->gateway, l->child, l->err);
	if (r == 0)
		r = publish_enter(l->publish, l->run, l->child->init_pidfd, l->err);
	/* if a wall had gone, the command could start before the signal that ends it
	 * arrives */
	if (r == 0 && l->phase == PH_RUNNING)
		r = sandbox_go(l->child, l->err);
	if (r == 0)
		r = let_go_of_streams(l);
	if (r == 0)
		r = confine_self(broker_syscalls, l->brokered.on ? broker_syscall_count : 0, l->err);
	if (r == 0)
		open_by_name();
	return r;
}

static void drain_timer(struct loop *l)
{
	uint64_t ticks;

	if (read(l->timer, &ticks, sizeof(ticks)) == (ssize_t)sizeof(ticks))
		loop_deadline(l);
}

/* Answers a call, or those that have waited.  If that fails the run ends, since the caller would
 * wait until the time limit. */
static void serve(struct loop *l, int (*how)(struct listener *l))
{
	int r = how(&l->listener);

	if (r == 0 || l->ended)
		return;
	l->failed = rt_fail_errno(l->err, -r, "answering a system call");
	l->ended = true;
	loop_kill(l);
}

/* Without its gateway the run would go on with a network that answers nothing; without
 * its asker it may stand still. */
static void lose_gateway(struct loop *l, int r, const char *what)
{
	l->failed = r == -ECHILD ? rt_fail(l->err, ECHILD, "%s has ended, and with it the run", what)
				 : rt_fail_errno(l->err, -r, "%s", what);
	l->ended = true;
	loop_kill(l);
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

/* How long until calls that wait are decided anew, in ms; -1: there are none. */
static int calls_wait(const struct loop *l)
{
	return l->listener.fd < 0 ? -1 : brokered_wait(&l->brokered, sys_now_ms());
}

/* The same of those that wait for the other end of a FIFO. */
static int fifos_due(const struct loop *l)
{
	return l->listener.fd < 0 ? -1 : brokered_fifos_wait(&l->brokered, sys_now_ms());
}

/* How long until loop_look_at_files() is to be called, in ms; -1: not until an event. */
static int files_wait(const struct loop *l)
{
	return l->brokered.open.more ? 0 : held_wait(&l->brokered.held, sys_now_ms());
}

/* How long poll() waits at most: a look at the run's network is due then. */
static int looks_wait(const struct loop *l, int ms)
{
	uint64_t now = loop_now();

	return unpublished_wait(l->unpublished, now, unreached_wait(l->unreached, now, ms));
}

/* Waits for events.  After a while without any it gives the program's pages back: in a
 * short run they cost more time than memory. */
static int wait_for(struct loop *l, struct pollfd *p, nfds_t count)
{
	int most = l->stopped && l->walls->poll_ms < 0 ? LOOP_QUIET_MS : l->walls->poll_ms;
	/* a run that has lost a protected path is being killed: nothing is looked at any more */
	int files = l->ret->wall ? -1 : files_wait(l);

	int programs = l->stopped ? -1 : copies_wait(&l->brokered.copies, sys_now_ms());
	int waiting = calls_wait(l), fifos = fifos_due(l);

	if (files >= 0 && (most < 0 || files < most))
		most = files;
	if (programs >= 0 && (most < 0 || programs < most))
		most = programs;
	if (waiting >= 0 && (most < 0 || waiting < most))
		most = waiting;
	if (fifos >= 0 && (most < 0 || fifos < most))
		most = fifos;
	bool again = !l->dropped && most < 0;
	int n = poll(p, count, again ? LOOP_QUIET_MS : looks_wait(l, most));

	if (n != 0 || l->dropped)
		return n;
	drop_program_pages();
	l->dropped = true;
	return again ? poll(p, count, looks_wait(l, most)) : n;
}

/* If no event reports changes, the command must not keep the loop so busy that it never
 * looks at the walls. */
static bool walls_due(const struct loop *l)
{
	return l->walls->poll_ms >= 0 &&
	       loop_now() - l->looked_ms >= (uint64_t)l->walls->poll_ms;
}

static void run_loop(struct loop *l)
{
	enum { P_INIT, P_STATUS, P_SIGNALS, P_TIMER, P_MOUNTS, P_MOVES, P_GATEWAY, P_ANSWERS, P_COPIED, P_LISTENER,
	       P_COUNT };
	struct pollfd p[P_COUNT] = {
		[P_INIT] = { l->child->init_pidfd, POLLIN, 0 },
		[P_STATUS] = { l->child->status_fd, POLLIN, 0 },
		[P_SIGNALS] = { l->signals, POLLIN, 0 },
		[P_TIMER] = { l->timer, POLLIN, 0 },
		[P_MOUNTS] = { l->walls->mountinfo, POLLPRI, 0 },
		[P_MOVES] = { l->walls->watch.moves, POLLIN, 0 },
		[P_GATEWAY] = { l->gateway->sock, POLLIN, 0 },
		[P_ANSWERS] = { l->gateway->ask, POLLIN, 0 },
	};

	for (;;) {
		p[P_LISTENER] = (struct pollfd){ l->listener.fd, POLLIN, 0 };
		p[P_COPIED] = (struct pollfd){ l->listener.fd < 0 ? -1 : copies_fd(&l->brokered.copies),
					       POLLIN, 0 };
		int n = wait_for(l, p, P_COUNT);
		if (n < 0) {
			if (errno == EINTR)
				continue;
			l->failed = rt_fail_errno(l->err, errno, "waiting for the run");
			l->ended = true;
			break;
		}
		if (l->dropped) { /* never in a short run */
			unreached_look(l->unreached, loop_now());
			unpublished_look(l->unpublished, loop_now());
		}
		/* before anything else: what a lost wall protected is already open */
		if (p[P_MOUNTS].revents || walls_due(l) || (p[P_MOVES].revents && walls_changed(l->walls)))
			loop_look_at_walls(l);
		else if (files_wait(l) == 0)
			loop_look_at_files(l);
		else if (n == 0 && l->stopped && l->phase == PH_RUNNING)
			loop_stop(l);
		if (copies_wait(&l->brokered.copies, sys_now_ms()) == 0)
			copies_look(&l->brokered.copies);
		if (p[P_TIMER].revents)
			drain_timer(l);
		if (p[P_SIGNALS].revents)
			loop_drain_signals(l);
		if (p[P_GATEWAY].revents)
			hear_gateway(l);
		if (p[P_ANSWERS].revents && !l->ended)
			hear_answer(l);
		if (l->ended) /* gateway_finish() takes the rest */
			p[P_GATEWAY].fd = p[P_ANSWERS].fd = -1;
		if (p[P_COPIED].revents)
			copies_over(&l->brokered.copies);
		if (p[P_COPIED].revents || calls_wait(l) == 0)
			serve(l, listener_go_on);
		if (fifos_due(l) == 0)
			serve(l, listener_fifos);
		if (p[P_LISTENER].revents & POLLIN)
			serve(l, listener_serve);
		else if (p[P_LISTENER].revents)
			listener_release(&l->listener);
		if (p[P_STATUS].revents && loop_read_status(l) < 0) {
			p[P_STATUS].fd = -1; /* the pidfd will report its end */
			loop_kill(l);
		}
		if (l->ended)
			p[P_STATUS].fd = -1; /* no more status is expected */
		if (p[P_INIT].revents)
			break;
	}
	loop_init_gone(l);
}

int supervise_block_signals(struct rt_err *err)
{
	return loop_block_signals(err);
}

int supervise(const struct sandbox_run *run, const struct sandbox_view *view,
	      struct sandbox_child *child, struct walls *walls, struct unreached *unreached,
	      struct unpublished *unpublished, struct gateway *gateway, struct publish *publish,
	      struct terminal *terminal, struct supervise_result *ret, struct rt_err *err)
{
	struct loop l = { .run = run,
			  .unreached = unreached,
			  .unpublished = unpublished,
			  .gateway = gateway,
			  .publish = publish,
			  .terminal = terminal,
			  .child = child,
			  .ret = ret,
			  .err = err,
			  .walls = walls,
			  .signals = -1,
			  .timer = -1 };
	int r;

	*ret = (struct supervise_result){ .touched = ret->touched, .effects = ret->effects,
					  .status = 125, .exit_code = -1 };
	l.listener.fd = -1;
	r = prepare(&l, view);
	if (r == 0) {
		run_loop(&l);
		left_open_tell(&l.brokered.open);
		(void)waker_set(&l.waker, 0, 0);
		r = l.failed;
	} else {
		(void)kill(child->init_pid, SIGKILL);
		while (waitpid(child->init_pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	ret->wall_ms = loop_now() - l.start_ms;
	gateway_finish(gateway, &ret->denials);
	unreached_end(unreached, ret->status != 0);
	listener_release(&l.listener);
	brokered_look(&l.brokered);
	brokered_release(&l.brokered);
	walls_release(l.walls);
	if (l.signals >= 0)
		(void)close(l.signals);
	if (l.timer >= 0)
		(void)close(l.timer);
	if (r < 0)
		ret->status = 125;
	return r;
}
