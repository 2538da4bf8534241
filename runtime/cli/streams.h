/* Descriptors 0 to 2 before anything else is opened, and the pipes that stand
 * for regular files where Landlock is missing. */
#ifndef RUNTIME_CLI_STREAMS_H
#define RUNTIME_CLI_STREAMS_H

#include <sys/types.h>

#include "runtime/base/err.h"

/*
 * Closes everything from 3 on, opens /dev/null where one of 0-2 is closed, and
 * refuses a directory or an O_PATH descriptor there: with it the command could
 * reach the host's files by openat().
 */
int streams_clean(struct rt_err *err);

struct streams {
	pid_t copier[3]; /* 0: none */
};

/*
 * Without Landlock a regular file on 0-2 could be opened again by
 * /proc/self/fd with other rights: it goes through a pipe instead, that a
 * process of its own copies.  Replaces descriptors 0-2.
 */
int streams_bridge(struct streams *ret, struct rt_err *err);
/* Waits until what the command wrote has arrived. */
void streams_finish(struct streams *s);

#endif
