/* polquery serve: the same lines of JSON at a unix socket. */
#ifndef RUNTIME_POLQUERY_QUERY_SERVE_H
#define RUNTIME_POLQUERY_QUERY_SERVE_H

#include "runtime/query/query.h"

enum {
	QUERY_MAX_CLIENTS = 256,
	QUERY_MAX_HELD = 64 * 1024 * 1024, /* bytes of all lines that are not whole */
};

/*
 * Answers at PATH until SIGTERM, SIGINT or SIGHUP, which take the socket away:
 * then 0.  -errno where it cannot be made (query_socket.h) or waiting fails.
 *
 * No client can keep others waiting: nothing blocks, whoever does not read his
 * answers is not read from, each gets a few lines in turn, and a line that is long
 * is decided by a child.  With more clients than QUERY_MAX_CLIENTS the one that has
 * been silent longest is sent away.
 */
int query_serve(struct query *q, const char *path, struct rt_err *err);

#endif
