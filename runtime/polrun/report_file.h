/* The file of a report: which files polrun may write, and what it may replace. */
#ifndef RUNTIME_POLRUN_REPORT_FILE_H
#define RUNTIME_POLRUN_REPORT_FILE_H

#include "runtime/decide/decide.h"
#include "runtime/sandbox/sandbox.h"

/* Every report begins with this, and no other file that polrun knows does. */
#define REPORT_BEGINS "{\n  \"exit_code\": "

/*
 * Opens the file before the set-up, never through a symbolic link; -errno.  An existing
 * file is replaced only if it is empty or a report, and has no other name: never a
 * bundle, a key, a policy or git's configuration.  ret_made: it did not exist.
 */
int report_open(const char *path, bool *ret_made, struct rt_err *err);
/*
 * Refuses (EPERM) a path that goes through a link in the project: a run can have made
 * the link, and would choose which file is overwritten.  Also refuses a path that a
 * rule of the floor denies writing in either scope (polrun writes it outside), or that
 * any rule denies in a tree that the run may write: what is read-only there is so for a
 * reason.
 */
int report_check(const char *path, const char *project, const struct decide_ctx *c,
		 struct rt_err *err);
/* The same for the names that are protected because of what git reads. */
int report_check_view(const char *path, const struct bundle *b,
		      const struct sandbox_view *view, struct rt_err *err);

#endif
