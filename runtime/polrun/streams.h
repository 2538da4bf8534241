/* Descriptors 0 to 2 before anything else is opened, and the pipes that stand
 * for regular files which would give more than the policy does. */
#ifndef RUNTIME_POLRUN_STREAMS_H
#define RUNTIME_POLRUN_STREAMS_H

#include <stdbool.h>
#include <sys/types.h>

#include "runtime/base/err.h"
#include "runtime/sandbox/sandbox.h"

/*
 * Closes everything from 3 on, opens /dev/null where one of 0-2 is closed, and
 * refuses a directory or an O_PATH descriptor there: with it the command could
 * reach the host's files by openat().
 */
int streams_clean(struct rt_err *err);

/*
 * The status flags of 0-2 belong to the open file, which the caller has as well:
 * a command that leaves a terminal O_NONBLOCK breaks the caller's next read, and
 * with O_ASYNC input there signals the caller's process group.  Noted before the
 * run; given back when none of its processes is left.  -1: not known.
 */
void streams_note(int ret_flags[3]);
void streams_give_back(const int flags[3]);

struct streams {
	pid_t copier[3]; /* 0: none */
	bool shared;     /* 2 is the same pipe as 1 */
};

/*
 * A regular file on 0-2 lies in a mount of the host, without the view's
 * read-only flags.  Where the command could do more with it than the view lets
 * it do at that place, or where Landlock is missing and it could be opened
 * again by /proc/self/fd, it goes through a pipe that a process of its own
 * copies.  Replaces descriptors 0-2.
 */
int streams_bridge(const struct sandbox_run *run, const struct sandbox_view *view,
		   struct streams *ret, struct rt_err *err);
/* Waits until what the command wrote has arrived. */
int streams_finish(struct streams *s, struct rt_err *err);

#endif
