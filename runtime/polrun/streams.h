/* Checks descriptors 0 to 2 before anything else is opened, and puts pipes in place of
 * regular files that would allow more than the policy does. */
#ifndef RUNTIME_POLRUN_STREAMS_H
#define RUNTIME_POLRUN_STREAMS_H

#include <fcntl.h>
#include <stdbool.h>
#include <sys/types.h>

#include "runtime/base/err.h"
#include "runtime/sandbox/sandbox.h"

/*
 * Closes all descriptors from 3 on and opens /dev/null for those of 0-2 that are
 * closed.  Refuses a directory or an O_PATH descriptor on 0-2: with openat() the
 * command could reach the host's files through it.
 */
int streams_clean(struct rt_err *err);

/* What the caller has set at the open file behind a descriptor. */
struct stream_given {
	int fd; /* 0: the open file is not kept, is 2 as well, or was not looked at yet */
	int flags;
	bool has_owner;
	struct f_owner_ex owner;
};

struct streams {
	struct stream_given given[3];
	pid_t copier[3]; /* pid; 0: none */
	bool shared;     /* 2 uses the same pipe as 1 */
	int own[3];      /* what 1 and 2 were; 0: they are so still */
};

/*
 * A regular file on 0-2 lies in a mount of the host, which lacks the view's read-only
 * flags.  If the command could do more with the file than the view allows at that
 * place, or if without Landlock it could open the file again through /proc/self/fd, the
 * command gets a pipe instead, which a separate process copies.  Replaces descriptors
 * 0-2; *ret is all 0 at first, and what an earlier call has replaced stays.  Refuses a
 * socket of the caller's network, unless the run has that network itself.
 */
int streams_bridge(const struct sandbox_run *run, const struct sandbox_view *view,
		   struct streams *ret, struct rt_err *err);
/*
 * The status flags of 0-2, and the process that O_ASYNC signals, belong to the open file, which the
 * caller shares: a command that leaves a terminal O_NONBLOCK breaks the caller's next read, with
 * O_ASYNC input signals the caller's process group, and after F_SETOWN nothing signals the caller
 * any more.  streams_note() comes before streams_bridge(); streams_give_back() restores all of this when
 * no process of the run is left.
 */
void streams_note(struct streams *s);
void streams_give_back(const struct streams *s);
/* Waits until everything that the command wrote has been copied.  1 and 2 are then what they were.  May be
 * called again. */
int streams_finish(struct streams *s, struct rt_err *err);

#endif
