/*
 * From a notification of the run's filter to a call of the broker.  x86-64 only: the
 * filter ends other architectures.
 */
#ifndef RUNTIME_BROKER_DECODE_H
#define RUNTIME_BROKER_DECODE_H

#include <linux/seccomp.h>
#include <stdbool.h>

#include "runtime/broker/broker.h"
#include "runtime/broker/name_text.h"

/* The largest value of an attribute: the kernel's XATTR_SIZE_MAX. */
#define BROKER_MOST_VALUE 65536

/* How long a caller may wait for its answer, in milliseconds. */
#define BROKER_MOST_WAIT 2000

/* The run's user and group: the ids that it knows, and those of this process. */
struct broker_ids {
	uid_t inside_uid, uid;
	gid_t inside_gid, gid;
};

struct deep_last;

/* Where a run's calls come from. */
struct broker_source {
	int listener;
	int proc_fd; /* O_PATH of /proc, as this process sees it */
	struct broker_ids ids;
	bool reads; /* files are opened for reading, too: broker.reads */
	bool starts; /* programs are started by name: broker.starts */
	struct deep_last *last; /* the directory of a call before; NULL: none is remembered */
};

struct broker_decoded {
	struct broker_call call; /* its texts are those below */
	bool cloexec;            /* of the descriptor that open(2) gives */
	char path[PATH_MAX], to[PATH_MAX], text[PATH_MAX];
	struct name_text base, to_base;
	char value[BROKER_MOST_VALUE];
};

/*
 * Reads what the caller wants.  `since`: sys_now_ms() when the request came.  0;
 * BROKER_NOT_OURS, if the broker does not make this call (it needs no writing, or it is
 * not served): the kernel's own walls answer; or -errno, as the kernel would say:
 * -EFAULT, -EBADF, -EINVAL, -ENAMETOOLONG.  What was read counts only if the
 * notification is still valid afterwards.
 */
int broker_decode(const struct broker_source *from, const struct seccomp_notif *req,
		  int64_t since, struct broker_decoded *ret);
/* Is this one of the calls that it reads?  runtime/bundle/broker_calls.def has the
 * same. */
bool broker_decodes(int nr);

#endif
