/* What has become of a run. */
#ifndef RUNTIME_SUPERVISE_RESULT_H
#define RUNTIME_SUPERVISE_RESULT_H

#include <limits.h>
#include <stdbool.h>

#include "runtime/sandbox/sandbox_view.h"
#include "runtime/supervise/denials.h"
#include "runtime/supervise/effects.h"
#include "runtime/supervise/touched.h"

#define WALL_STATUS 123

struct supervise_result {
	struct touched *touched; /* the caller's, for what a traced run asks for; or NULL */
	struct effects *effects; /* the caller's, for what polrun writes for the run; or NULL */
	int status;         /* polrun's exit status */
	int signal;         /* the signal that ended the command, or 0 */
	int exit_code;      /* -1 if a signal ended it */
	uint64_t wall_ms, cpu_ms, memory_peak_bytes;
	bool timed_out;
	/* a wall that was lost because a process outside changed its name, which ended
	   the run (status WALL_STATUS): one of view->walls, or `lost`; NULL: all stand */
	const struct sandbox_wall *wall;
	struct sandbox_wall lost; /* its path is lost_path */
	char lost_path[PATH_MAX];
	const char *walls;   /* how the walls were watched, static; NULL: the watch did
	                        not begin */
	struct denials denials;
};

#endif
