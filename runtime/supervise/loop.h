/* The state of the supervisor's loop, and what its events do to the run. */
#ifndef RUNTIME_SUPERVISE_LOOP_H
#define RUNTIME_SUPERVISE_LOOP_H

#include <signal.h>

#include "runtime/supervise/gateway.h"
#include "runtime/supervise/publish.h"
#include "runtime/supervise/unpublished.h"
#include "runtime/supervise/listener.h"
#include "runtime/supervise/result.h"
#include "runtime/supervise/terminal.h"
#include "runtime/supervise/unreached.h"
#include "runtime/supervise/waker.h"
#include "runtime/supervise/walls.h"

#define LOOP_QUIET_MS 100  /* without a change; then polrun of a stopped run stops again */

enum phase { PH_RUNNING, PH_ENDING, PH_KILLED };

struct loop {
	const struct sandbox_run *run;
	struct sandbox_child *child;
	struct supervise_result *ret;
	struct rt_err *err;
	struct listener listener;
	struct brokered brokered;
	struct walls *walls;
	struct unreached *unreached;
	struct terminal *terminal;
	struct gateway *gateway;
	struct publish *publish;
	struct unpublished *unpublished;
	int signals, timer;
	struct waker waker;
	enum phase phase;
	bool dropped;       /* the program's pages were given back */
	bool stopped;       /* the command has stopped, and nobody has continued it yet */
	int stop_signal;    /* by which it stopped */
	bool continued;     /* somebody has, since polrun stopped */
	bool ended;         /* the command's status is known, or will never be known */
	int failed;         /* -errno: polrun itself failed */
	uint64_t start_ms, limit_ms; /* limit 0: no limit */
	uint64_t looked_ms; /* time of the last look at the walls */
	sigset_t ignored;   /* the caller ignored these, so polrun does too */
};

uint64_t loop_now(void); /* ms of the monotonic clock */
int loop_set_timer(struct loop *l, uint64_t at_ms);
/*
 * Sets the timers for a stopped polrun.  If somebody stops polrun (kill -STOP), it must
 * still enforce the time limit and look at the walls.  If polrun stops as its command
 * did, only the time limit needs a timer: changes then send a signal.
 */
int loop_set_waker(const struct loop *l);
/* Blocks the signals that are for the command. */
int loop_block_signals(struct rt_err *err);
/* Takes them over. */
int loop_take_signals(struct loop *l);
void loop_drain_signals(struct loop *l);
/* The time limit: TERM, and KILL after a while. */
void loop_deadline(struct loop *l);
/* Kills the run's init, and with it the run. */
void loop_kill(struct loop *l);
/*
 * Looks at every wall.  A wall that has gone ends the run at once, because from that
 * moment the command can reach what the wall protected.
 */
void loop_look_at_walls(struct loop *l);
/* The same, if an event tells of a change, in the middle of a long call of the broker's, without a
 * look at files.  False: the run is over.  `arg`: the loop. */
bool loop_look_in_between(void *arg);
/* Looks at the files that the run holds open for writing; one that has been given a denied
 * name ends the run as well. */
void loop_look_at_files(struct loop *l);
/*
 * Stops as the command did, so that the caller's shell sees it.  A command must not
 * escape its time limit or the watch on its walls by stopping itself while some of its
 * processes continue; so the waker, and a change outside, wake polrun.  After a change
 * polrun stays awake until nothing has changed for LOOP_QUIET_MS, with these signals off:
 * among many of them the caller's own CONT would be lost.
 */
void loop_stop(struct loop *l);
/* Reads one status.  1: done; 0: none is there now; -1: there will be no more. */
int loop_read_status(struct loop *l);
/* The run's init has ended. */
void loop_init_gone(struct loop *l);

#endif
