/*
 * The addresses of this host, for the guard: read before polgate is confined, and kept up
 * to date by what the kernel tells about new ones.  One that the host gives up stays
 * guarded.
 */
#ifndef RUNTIME_EGRESS_HOST_ADDR_H
#define RUNTIME_EGRESS_HOST_ADDR_H

#include "runtime/base/err.h"
#include "runtime/egress/address_guard.h"

/* A netlink socket that reports changes, after the present addresses were added to `g`.
 * -errno on failure. */
int host_addr_open(struct guard *g, struct rt_err *err);
/* Reads what the socket has to say.  -E2BIG, -ENOMEM …: an address may be missing. */
int host_addr_read(int fd, struct guard *g);

#endif
