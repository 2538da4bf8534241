/*
 * From a notification of the run's filter to its answer.
 *
 * Who uses it needs, besides broker_syscalls: process_vm_readv, readlinkat, read, and
 * ioctl with SECCOMP_IOCTL_NOTIF_ID_VALID, _SEND and _ADDFD.
 */
#ifndef RUNTIME_BROKER_SERVE_H
#define RUNTIME_BROKER_SERVE_H

#include "runtime/broker/decode.h"

/* Decodes, acts and answers.  `resp` has the size that the kernel asks for.  *ret is
 * what became of it (its descriptor is closed): if `later`, there is no answer yet, and it is to be
 * called again with the same request.  0, also if the caller is gone, or -errno of the listener. */
int broker_serve(struct broker *b, const struct broker_source *from,
		 const struct seccomp_notif *req, int64_t since,
		 struct seccomp_notif_resp *resp, struct broker_result *ret);

#endif
