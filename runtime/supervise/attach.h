/*
 * A process of polrun's in the run's mount namespace.  polrun itself stays outside: it asks
 * this process to mount a file of its own over a name that the run sees, and to take such a
 * mount away.  What it is asked it gets from polrun alone, as descriptors: no name that the run
 * can change decides where a mount lands.
 *
 * It has the capabilities of the run's user namespace, and a filter with the ten calls that it
 * needs.  It ends with polrun.
 */
#ifndef RUNTIME_SUPERVISE_ATTACH_H
#define RUNTIME_SUPERVISE_ATTACH_H

#include <stdint.h>
#include <sys/types.h>

#include "runtime/base/err.h"

struct attach {
	int sock; /* -1: there is none */
	pid_t pid;
};

#define ATTACH_NONE { -1, 0 }

/*
 * Starts it in the namespaces of pid 1 of the run.  `dir` (O_PATH) is the directory of the
 * files that it mounts, numbered as sandbox_copy_name() says, on a mount of the run.  Call it
 * before confine_self(), from a process with one thread.
 */
int attach_start(struct attach *a, int init_pidfd, int dir, uint32_t nfiles, struct rt_err *err);
/* Mounts file `number`, read-only, over `target` (O_PATH, of the run's mounts), after taking away
 * where it was mounted before.  0 or -errno. */
int attach_over(const struct attach *a, uint32_t number, int target);
/* Takes it away, if it is still there.  0 or -errno. */
int attach_away(const struct attach *a, uint32_t number);
void attach_release(struct attach *a);

#endif
