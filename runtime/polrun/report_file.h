/* The file of a report: which one polrun may write, and what it may replace. */
#ifndef RUNTIME_POLRUN_REPORT_FILE_H
#define RUNTIME_POLRUN_REPORT_FILE_H

#include "runtime/decide/decide.h"
#include "runtime/sandbox/sandbox.h"

/* How each report begins, and nothing else that polrun knows. */
#define REPORT_BEGINS "{\n  \"exit_code\": "

/*
 * Opened before the set-up, never through a symbolic link; -errno.  What is
 * there is replaced only where it is empty or a report, and has no other name:
 * never a bundle, a key, a policy, git's configuration.  ret_made: it was not
 * there.
 */
int report_open(const char *path, bool *ret_made, struct rt_err *err);
/*
 * Refused (EPERM) where the path goes through a link that lies in the project: a
 * run can have made it, and would choose what is overwritten.  And where a rule
 * of the floor denies writing it, in either scope (polrun writes it outside), or any
 * rule does in a tree that the run may write: what is read-only there is so for a
 * reason.
 */
int report_check(const char *path, const char *project, const struct decide_ctx *c,
		 struct rt_err *err);
/* The same of the names that what git reads adds to those of the floor. */
int report_check_view(const char *path, const struct bundle *b,
		      const struct sandbox_view *view, struct rt_err *err);

#endif
