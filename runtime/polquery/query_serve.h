/* polquery serve: the same lines of JSON at a unix socket. */
#ifndef RUNTIME_POLQUERY_QUERY_SERVE_H
#define RUNTIME_POLQUERY_QUERY_SERVE_H

#include "runtime/query/query.h"

enum {
	QUERY_MAX_CLIENTS = 256,
	QUERY_MAX_HELD = 64 * 1024 * 1024, /* bytes of all incomplete lines together */
};

/*
 * Answers at PATH until SIGTERM, SIGINT or SIGHUP, which remove the socket; then
 * returns 0.  -errno if the socket cannot be made (query_socket.h) or waiting fails.
 * No client can make the others wait: nothing blocks, a client that does not read its
 * answers is not read from, each client gets a few lines in turn, and a child decides a
 * long line.  If there are more clients than QUERY_MAX_CLIENTS, the one that has been
 * silent longest is disconnected.
 */
int query_serve(struct query *q, const char *path, struct rt_err *err);

#endif
