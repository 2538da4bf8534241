/*
 * The supervisor: answers the one listener, watches the child, the signals and the
 * clock, and keeps the list of denials.  It parses no network data and no policy text.
 */
#ifndef RUNTIME_SUPERVISE_SUPERVISE_H
#define RUNTIME_SUPERVISE_SUPERVISE_H

#include "runtime/sandbox/sandbox.h"
#include "runtime/supervise/gateway.h"
#include "runtime/supervise/result.h"
#include "runtime/supervise/publish.h"
#include "runtime/supervise/terminal.h"
#include "runtime/supervise/unpublished.h"
#include "runtime/supervise/unreached.h"
#include "runtime/supervise/walls.h"

/*
 * Call it before sandbox_start().  Once the command runs, signals that the terminal
 * sends to both processes no longer end polrun.  The command itself starts with an
 * empty signal mask.
 */
int supervise_block_signals(struct rt_err *err);

/*
 * Runs until the command has ended and nothing of the sandbox is left.  err is filled
 * if polrun itself failed (status 125).  `walls` may be watched already; they are
 * released.  `unreached` and `unpublished` have what their caller has set.  `gateway` was started if the run
 * has one (run->gateway); it is ended, and its log is left for the caller.  `publish` was started; it is
 * the caller's to end.  `terminal` has begun.
 */
int supervise(const struct sandbox_run *run, const struct sandbox_view *view,
	      struct sandbox_child *child, struct walls *walls, struct unreached *unreached,
	      struct unpublished *unpublished, struct gateway *gateway, struct publish *publish,
	      struct terminal *terminal, struct supervise_result *ret, struct rt_err *err);

#endif
