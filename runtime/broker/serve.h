/*
 * From a notification of the run's filter to its answer.
 *
 * Who uses it needs, besides broker_syscalls: process_vm_readv, readlinkat, read, poll and tee (of a FIFO),
 * and ioctl with SECCOMP_IOCTL_NOTIF_ID_VALID, _SEND and _ADDFD.
 */
#ifndef RUNTIME_BROKER_SERVE_H
#define RUNTIME_BROKER_SERVE_H

#include "runtime/broker/decode.h"

/* Decodes, acts and answers.  `resp` has the size that the kernel asks for.  *ret is
 * what became of it (its descriptor is closed): if `later`, there is no answer yet, and it is to be
 * called again with the same request; or, with an `object`, broker_fifo_of() follows.  0, also if the
 * caller is gone, or -errno of the listener. */
int broker_serve(struct broker *b, const struct broker_source *from,
		 const struct seccomp_notif *req, int64_t since,
		 struct seccomp_notif_resp *resp, struct broker_result *ret);

/* What the request that was served last waits for; takes over ret->object. */
void broker_fifo_of(const struct broker *b, const struct seccomp_notif *req, struct broker_result *ret,
		    struct broker_fifo *out);
/* Answers with the descriptor `fd`, which is closed, or with the error -fd; f->object is closed.  As
 * broker_serve(). */
int broker_fifo_answer(struct broker *b, int listener, struct broker_fifo *f, int fd,
		       struct seccomp_notif_resp *resp);

#endif
