/* Sockets that listen on the host, in the trees that the run sees. */
#ifndef RUNTIME_SANDBOX_VIEW_SOCKET_H
#define RUNTIME_SANDBOX_VIEW_SOCKET_H

#include "runtime/sandbox/view_place.h"

/*
 * Where all of the host can be read: makes places of the socket files that are bound in
 * this network namespace now (in->sockets, in the format of /proc/net/unix) and to which
 * no unix rule lets the run connect.  Names that are relative, or from another mount
 * namespace, are not found.  0 or -errno.
 */
int view_sockets(struct view_builder *b);

#endif
