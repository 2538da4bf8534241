/* The user of a run: the caller, or the user that root names with --user. */
#ifndef RUNTIME_POLRUN_RUN_USER_H
#define RUNTIME_POLRUN_RUN_USER_H

#include <stdbool.h>

#include "runtime/base/err.h"
#include "runtime/base/passwd.h"

struct run_user {
	struct passwd_entry pw; /* entry in /etc/passwd */
	bool known;             /* there is such an entry */
	bool root_run;          /* a run as root itself: the command gets a uid that
	                           owns nothing */
};

/*
 * `name` is the value of --user, or NULL.  If it is given, this process is that user
 * for good afterwards; nothing of that user may be looked at before.  0 or -errno.
 */
int run_user_find(const char *name, struct run_user *ret, struct rt_err *err);

#endif
