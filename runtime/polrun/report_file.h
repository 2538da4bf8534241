/* The file of a report: what polrun may replace. */
#ifndef RUNTIME_POLRUN_REPORT_FILE_H
#define RUNTIME_POLRUN_REPORT_FILE_H

#include "runtime/decide/output.h"
#include "runtime/sandbox/sandbox.h"

/* Every report begins with this, and no other file that polrun knows does. */
#define REPORT_BEGINS "{\n  \"exit_code\": "

/*
 * Opens the file before the set-up, as output_open() does; -errno.  An existing file is
 * replaced only if it is empty or a report, and has no other name: never a bundle, a key, a
 * policy or git's configuration.
 */
int report_open(struct output *o, const char *path, const struct decide_ctx *c,
		struct rt_err *err);
/* Refuses an output at a name that is protected because of what git reads. */
int output_check_view(const struct output *o, const char *kind, const char *path,
		      const struct bundle *b, const struct sandbox_view *view,
		      struct rt_err *err);

#endif
