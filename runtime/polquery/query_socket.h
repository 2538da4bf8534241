/* A socket in the file system that belongs to one user. */
#ifndef RUNTIME_POLQUERY_QUERY_SOCKET_H
#define RUNTIME_POLQUERY_QUERY_SOCKET_H

#include <stdbool.h>
#include <sys/stat.h>

#include "runtime/base/err.h"

struct query_socket {
	int fd;           /* listening, non-blocking */
	const char *path; /* the caller's */
	dev_t dev;        /* of the name that was made */
	ino_t ino;
};

/*
 * Makes PATH, mode 0600 from its first moment on and listening.  An existing path
 * is refused, but for a socket of this user's at which nobody listens any more.
 * Also refused: a directory in which others may replace what is there.
 */
int query_socket_open(const char *path, struct query_socket *ret, struct rt_err *err);
/* Takes the name away, unless it is another file by now. */
void query_socket_close(struct query_socket *s);
/*
 * The next client, non-blocking; -1: none (now).  Whoever is neither this user nor
 * root is sent away.
 */
int query_socket_accept(const struct query_socket *s);

#endif
