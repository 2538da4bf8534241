/*
 * The project in which a session of an agent began.  One small file for each session, in a
 * folder of polrun's state, which no run can write:
 *
 *   sessions/ID     ID: BLAKE2b-256 of the agent's name, a NUL and the session's id, in hex.
 *                   It holds the project's physical path and a newline.
 *
 * The first project that is recorded for a session stays: a session id that comes again, with
 * another directory, does not move it.  A file that was not used for 90 days is removed.
 */
#ifndef RUNTIME_STATE_SESSION_ROOT_H
#define RUNTIME_STATE_SESSION_ROOT_H

#include <limits.h>

#include "runtime/base/err.h"

/*
 * Looks up the session below the state folder `dir` (state_dir.h).  1: *out is its project; 0:
 * none is recorded; -errno: the record cannot be read, or another user could have written it.
 */
int session_find(const char *dir, const char *agent, const char *id, char out[PATH_MAX],
		 struct rt_err *err);
/* Records the project, an absolute path, unless the session has one; *out is the one that
 * counts.  0, or -errno: nothing is recorded. */
int session_record(const char *dir, const char *agent, const char *id, const char *project,
		   char out[PATH_MAX], struct rt_err *err);

#endif
