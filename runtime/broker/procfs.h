/*
 * The links of a run's /proc that the kernel follows for a process: working
 * directories, roots and descriptors, of the caller and of others in its run.  What
 * they lead to is read as a text, which is a path inside.
 *
 * It is racy, as all that is read of a process: the path counts, by which the object is
 * then found, and not the link.
 */
#ifndef RUNTIME_BROKER_PROCFS_H
#define RUNTIME_BROKER_PROCFS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "runtime/broker/asker.h"

struct procfs_link {
	int dir; /* the link's name is `name` from here */
	char name[64];
	size_t used;         /* bytes of the names that spell it */
	char text[PATH_MAX]; /* absolute */
	bool ends_gone;      /* what it leads to has no name (any more), or is called so */
};

/* May the name stand for a process? */
bool procfs_is_process(const char *name, size_t n);
/* May the descriptor (O_PATH too) lie on a procfs?  Is it the root of one? */
bool procfs_may_be(int fd);
bool procfs_is_root(int fd);
/* What names that follow the root of the run's procfs lead to. */
enum procfs_kind {
	PROCFS_OWN,      /* a file of the kernel's own, without a link of a process on the way */
	PROCFS_PATH,     /* a link that tells a path, *ret */
	PROCFS_OBJECT,   /* a link that ends at an object without a path: a pipe, a socket, the
			    program of a process, a directory that was moved out of what the run
			    sees; or it is not there */
	PROCFS_UNDECIDED /* a link of a process is on the way, and where it leads is not known */
};
/*
 * `root` is a descriptor of the run's procfs; `names` are "self/cwd/x", "thread-self/fd/3",
 * "17/root", "17/task/18/cwd", "17/status".
 */
enum procfs_kind procfs_link(const struct broker_caller *by, int root, const char *names,
			     struct procfs_link *ret);

#endif
