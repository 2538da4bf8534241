/*
 * Lets the kernel close descriptors after polrun has ended, whose last close takes long
 * while the caller waits for polrun.  For an inotify descriptor the kernel waits until
 * no reader of the watches can be left, an SRCU grace period: 5 to 15 ms
 * (fs/notify/mark.c, fsnotify_wait_marks_destroyed()).  With the last descriptor of a
 * mount namespace it takes all of its mounts down, 0.4 ms.  A message that nobody can
 * receive, because it holds the socket at which it waits, is thrown away by a thread of
 * the kernel, and the descriptors in it are closed there (net/unix/garbage.c; since
 * Linux 6.10, before that the close of the socket does it).  Nothing depends on it:
 * without it only time is lost.
 */
#ifndef RUNTIME_SUPERVISE_CLOSE_LATER_H
#define RUNTIME_SUPERVISE_CLOSE_LATER_H

#include <stddef.h>

#define CLOSE_LATER_MOST 3

/* A socket pair; the message that waits at `in` holds `in` itself.  -1: none. */
struct close_later {
	int out, in;
};

#define CLOSE_LATER_NONE { -1, -1 }

/* The descriptors (at most CLOSE_LATER_MOST; -1: left out) stay open after their close
 * until close_later_release().  Call it before confine_self(). */
void close_later_keep(struct close_later *c, const int *fds, size_t n);
/* Call it after the close of those descriptors. */
void close_later_release(struct close_later *c);

#endif
