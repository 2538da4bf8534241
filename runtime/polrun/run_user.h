/* Whose run it is: the caller's, or that of the user whom root names with --user. */
#ifndef RUNTIME_POLRUN_RUN_USER_H
#define RUNTIME_POLRUN_RUN_USER_H

#include <stdbool.h>

#include "runtime/base/err.h"
#include "runtime/base/passwd.h"

struct run_user {
	struct passwd_entry pw; /* of /etc/passwd */
	bool known;             /* it has such an entry */
	bool root_run;          /* root's own: the command gets a uid that owns nothing */
};

/*
 * `name` is the value of --user, or NULL.  With it this process is that user for good
 * afterwards: nothing of the user's may be looked at before.  0 or -errno.
 */
int run_user_find(const char *name, struct run_user *ret, struct rt_err *err);

#endif
