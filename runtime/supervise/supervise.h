/*
 * The supervisor: answers the one listener, watches the child, the signals
 * and the clock, and keeps the list of what was denied.  It parses nothing
 * from the network and no policy text.
 */
#ifndef RUNTIME_SUPERVISE_SUPERVISE_H
#define RUNTIME_SUPERVISE_SUPERVISE_H

#include "runtime/sandbox/sandbox.h"
#include "runtime/supervise/denials.h"
#include "runtime/supervise/walls.h"

#define WALL_STATUS 123

struct supervise_result {
	int status;         /* polrun's own exit status */
	int signal;         /* that ended the command, or 0 */
	int exit_code;      /* -1 when it was ended by a signal */
	uint64_t wall_ms, cpu_ms, memory_peak_bytes;
	bool timed_out;
	/* of view->walls, the one that went when a process outside took its name
	   away and with which the run was ended (status WALL_STATUS); or WALLS_STAND */
	size_t wall;
	const char *walls;   /* how they were watched, static; NULL: not begun */
	uint32_t limit_rule; /* of the time limit */
	struct denials denials;
};

/*
 * To be called before sandbox_start(): from the moment that the command runs
 * polrun outlives what the terminal sends to both.  The command's own mask is
 * empty again.
 */
int supervise_block_signals(struct rt_err *err);

/*
 * Runs until the command has ended and nothing of it is left.  err is filled
 * where polrun itself failed (status 125).
 */
int supervise(const struct sandbox_run *run, const struct sandbox_view *view,
	      struct sandbox_child *child, struct supervise_result *ret,
	      struct rt_err *err);

#endif
