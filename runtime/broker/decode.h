/*
 * From a notification of the run's filter to a call of the broker, and its answer.
 * x86-64 only: the filter ends other architectures.
 *
 * Who uses it needs, besides broker_syscalls: process_vm_readv, readlinkat, read, and
 * ioctl with SECCOMP_IOCTL_NOTIF_ID_VALID, _SEND and _ADDFD.
 */
#ifndef RUNTIME_BROKER_DECODE_H
#define RUNTIME_BROKER_DECODE_H

#include <linux/seccomp.h>
#include <stdbool.h>

#include "runtime/broker/broker.h"

/* The largest value of an attribute: the kernel's XATTR_SIZE_MAX. */
#define BROKER_MOST_VALUE 65536

/* The run's user and group: the ids that it knows, and those of this process. */
struct broker_ids {
	uid_t inside_uid, uid;
	gid_t inside_gid, gid;
};

struct broker_decoded {
	struct broker_call call; /* its texts are those below */
	bool cloexec;            /* of the descriptor that open(2) gives */
	char path[PATH_MAX], to[PATH_MAX], text[PATH_MAX];
	char base[PATH_MAX], to_base[PATH_MAX];
	char value[BROKER_MOST_VALUE];
};

/*
 * Reads what the caller wants.  0; BROKER_NOT_OURS, if the broker does not make this
 * call (it needs no writing, or it is not served): the kernel's own walls answer; or
 * -errno, as the kernel would say: -EFAULT, -EBADF, -EINVAL, -ENAMETOOLONG.  What was
 * read counts only if the notification is still valid afterwards.
 */
int broker_decode(int proc_fd, const struct broker_ids *ids,
		  const struct seccomp_notif *req, struct broker_decoded *ret);

/* Decodes, acts and answers, with some 100 KiB of stack.  `resp` has the size that the
 * kernel asks for.  *ret is what became of it (its descriptor is closed).  0, also if the
 * caller is gone, or -errno of the listener. */
int broker_serve(struct broker *b, int proc_fd, const struct broker_ids *ids,
		 int listener, const struct seccomp_notif *req,
		 struct seccomp_notif_resp *resp, struct broker_result *ret);

#endif
