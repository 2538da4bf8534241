/* One step, or many without a link, of resolve.h's walk. */
#ifndef RUNTIME_BROKER_BELOW_H
#define RUNTIME_BROKER_BELOW_H

#include "runtime/broker/tree.h"

/*
 * Opens `path` below the directory `fd` of the place, O_PATH with `flags`; no link is
 * followed.  A descriptor or -errno.  From a tree a mount of the host is entered only if
 * it holds files and is not a second name of a tree: else -EROFS.
 */
int broker_open_below(const struct broker_trees *t, const struct broker_place *place, int fd,
		      const char *path, unsigned flags);

/* sys_open_beneath() of a path of any length, without links and without "..": piece by piece. */
int broker_open_far(int fd, const char *path, uint64_t flags, uint64_t resolve);

/* Is the descriptor (O_PATH will do) on a file system that holds files and nothing else?  In
 * others a file may be a handle of the kernel's, which is another for who opens it. */
bool broker_holds_files(int fd);

#endif
