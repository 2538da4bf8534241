/* For whom a path is resolved, until when, and through which links. */
#ifndef RUNTIME_BROKER_ASKER_H
#define RUNTIME_BROKER_ASKER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "runtime/base/sys.h"

struct broker_caller {
	pid_t pid;   /* the calling thread; 0: nobody */
	int proc_fd; /* O_PATH of the /proc in which it has this number */
	/* sys_now_ms() from which on its call is too late; 0: never */
	int64_t until;
	/* Called before a symbolic link is followed, with the path that leads through it: the physical
	 * path of the link and what follows it, without "." and "..".  False ends the walk with
	 * BROKER_REFUSED.  NULL: only the physical path counts. */
	bool (*may_follow)(void *arg, const char *name);
	void *arg;
};

static inline bool broker_is_late(const struct broker_caller *by)
{
	return by->until && sys_now_ms() >= by->until;
}

#endif
