/*
 * What leads to this host, for the guard.  The addresses of its interfaces are read before
 * polgate is confined, and kept up to date by what the kernel tells about new ones.  One
 * that the host gives up stays guarded.
 *
 * That is not all: a route of the kind "local" delivers an address, or a block, that no
 * interface has.  Agents of clouds add such routes for the addresses of balancers.  So the
 * kernel is asked about each address that is to be dialled.
 */
#ifndef RUNTIME_EGRESS_HOST_ADDR_H
#define RUNTIME_EGRESS_HOST_ADDR_H

#include "runtime/base/err.h"
#include "runtime/base/address_guard.h"

/* A netlink socket that reports changes, after the present addresses were added to `g`.
 * -errno on failure. */
int host_addr_open(struct guard *g, struct rt_err *err);
/* Reads what the socket has to say.  -E2BIG, -ENOMEM …: an address may be missing. */
int host_addr_read(int fd, struct guard *g);

/* Makes g->is_local() ask the kernel.  -errno on failure. */
int host_addr_open_routes(struct guard *g, struct rt_err *err);

#endif
