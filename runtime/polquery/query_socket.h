/* A socket in the file system that belongs to one user. */
#ifndef RUNTIME_POLQUERY_QUERY_SOCKET_H
#define RUNTIME_POLQUERY_QUERY_SOCKET_H

#include <stdbool.h>
#include <sys/stat.h>

#include "runtime/base/err.h"
#include "runtime/query/query.h"

struct query_socket {
	int fd;           /* listening and non-blocking */
	char path[300];   /* the name in the directory that `where` holds open */
	dev_t dev;        /* dev and ino of the name that was made */
	ino_t ino;
};

/*
 * Makes the socket with mode 0600 from the start, and listens.  `where` is its directory and
 * its name, which query_find_socket() has found, and stays open as long as the socket; `shown`
 * is the path for messages.  An existing path is refused,
 * unless it is a socket of this user on which nobody listens any more.  A directory in
 * which others may replace files is refused, too.
 */
int query_socket_open(const char *shown, const struct output *where, struct query_socket *ret,
		      struct rt_err *err);
/* Removes the name, unless it belongs to another file by now. */
void query_socket_close(struct query_socket *s);
/*
 * Returns the next client, non-blocking; -1: none (now).  Clients that are neither this
 * user nor root are disconnected.
 */
int query_socket_accept(const struct query_socket *s);

#endif
