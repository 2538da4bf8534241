/*
 * The trees of a run in which names are decided one by one: gives the broker its places and
 * its rules, answers the calls, and records what was refused.
 *
 * It acts as the run's user: the calls that reach the file system are made with that user's
 * ids (setfsuid), also where polrun is root.
 */
#ifndef RUNTIME_SUPERVISE_BROKERED_H
#define RUNTIME_SUPERVISE_BROKERED_H

#include "runtime/broker/deep_name.h"
#include "runtime/broker/serve.h"
#include "runtime/sandbox/sandbox.h"
#include "runtime/supervise/copies.h"
#include "runtime/supervise/denials.h"
#include "runtime/supervise/effects.h"
#include "runtime/supervise/fifos.h"
#include "runtime/supervise/git_change.h"
#include "runtime/supervise/held.h"
#include "runtime/supervise/left_open.h"
#include "runtime/supervise/names_lock.h"
#include "runtime/supervise/other_names.h"
#include "runtime/supervise/repos.h"
#include "runtime/supervise/stays.h"
#include "runtime/supervise/waiting.h"

struct brokered {
	bool on; /* the view has such trees */
	const struct sandbox_run *run;
	const struct sandbox_view *view;
	struct broker broker;
	struct broker_source from;
	struct deep_last last; /* the directory with a long name that was asked about last */
	struct copies copies; /* of programs that the run starts */
	struct waiting waiting; /* for a copy */
	struct fifos fifos; /* calls that wait for the other end of a FIFO */
	struct seccomp_notif_resp *resp; /* of the call that is decided; the caller's */
	unsigned turn; /* how often the call that is decided has waited */
	int64_t since_ms; /* when it came */
	struct names_lock names;
	int64_t again_ms; /* when those that wait for room are asked again; 0: there are none */
	struct held held; /* what the run has open for writing by it */
	struct left_open open; /* what other runs have left open, and tell of */
	void *room; /* of DECIDE_LINK_ROOM bytes */
	struct decide_near *near; /* what was decided last */
	struct stays stays; /* the walls: no call takes one away */
	struct repos repos;
	struct effects *effects; /* the caller's; NULL: nobody wants to know */
	int root_fd;
	int *fds; /* the trees, and places below them that are only walked */
	size_t nfds;
	bool as_user; /* polrun has another user than the run */
	char here[65]; /* the name of this machine */
	struct git_change git; /* what was refused last of a repository's configuration */
	/* Looks at the protected paths in the middle of a long call; false: the run is over.  The
	 * caller sets both after brokered_init(). */
	bool (*look)(void *arg);
	void *look_arg;
};

/* Takes over the trees of the child, if the view brokers.  brokered_release() is safe after
 * a failure, and after `*b = { 0 }`. */
int brokered_init(struct brokered *b, const struct sandbox_run *run,
		  const struct sandbox_view *view, struct sandbox_child *child,
		  struct effects *effects, struct rt_err *err);
/* The run is over: looks at what is there now of all that it may have changed. */
void brokered_look(struct brokered *b);
void brokered_release(struct brokered *b);
/* Answers one call, received at `since` (sys_now_ms()).  0, also if its caller is gone, or
 * -errno of the listener. */
int brokered_serve(struct brokered *b, int listener, const struct seccomp_notif *req,
		   int64_t since, struct seccomp_notif_resp *resp, struct denials *d);

/* How long until brokered_go_on() is to be called, in ms; -1: not until a copy has been made.
 * brokered_fifos_wait(): until brokered_fifos(). */
int brokered_wait(const struct brokered *b, int64_t now_ms);
/* Decides anew what waits for a copy: then, and after copies_over().  0 or -errno of the listener. */
int brokered_fifos_wait(const struct brokered *b, int64_t now_ms);
int brokered_fifos(struct brokered *b, int listener, struct seccomp_notif_resp *resp);
int brokered_go_on(struct brokered *b, int listener, struct seccomp_notif_resp *resp,
		   struct denials *d);

#endif
