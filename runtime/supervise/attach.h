/*
 * A process of polrun's in the run's mount namespace.  polrun itself stays outside: it asks
 * this process to mount a file of its own over a name that the run sees, and to take such a
 * mount away.  What it is asked it gets from polrun alone, as descriptors: no name that the run
 * can change decides where a mount lands.  It also copies what is so large that polrun would
 * answer nobody meanwhile; it mounts between two pieces of that.
 *
 * It has the capabilities of the run's user namespace, and a filter with the eleven calls that it
 * needs.  It ends with polrun.
 */
#ifndef RUNTIME_SUPERVISE_ATTACH_H
#define RUNTIME_SUPERVISE_ATTACH_H

#include <stdint.h>
#include <sys/types.h>

#include "runtime/base/err.h"

struct attach {
	int sock; /* -1: there is none */
	int copied; /* readable when a copy has been made */
	pid_t pid;
};

#define ATTACH_NONE { -1, -1, 0 }

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
/* Begins to copy `size` bytes, from where `from` stands to where `to` stands; they stay the
 * caller's.  One at a time: the next one after attach_copied().  0 or -errno. */
int attach_copy(const struct attach *a, int from, int to, off_t size);
/* What has become of it: 0 or -errno.  It waits until then; nobody but the caller has the two
 * open any more. */
int attach_copied(const struct attach *a);
void attach_release(struct attach *a);

#endif
