/* Where the command's program is, and whether its working directory can be read. */
#ifndef RUNTIME_POLRUN_LOOKUP_H
#define RUNTIME_POLRUN_LOOKUP_H

#include "runtime/sandbox/sandbox.h"

/* The run's working directory has to be readable in the view: 0, or -1 with what
 * makes it unreadable, or what would make it readable, in err. */
int lookup_check_cwd(const struct sandbox_run *run, const struct sandbox_view *view,
		     const char *project, struct rt_err *err);
/*
 * Looks the program up along `path` (the command's PATH, or NULL) in the view.
 * 0 and *ret_path (malloc'ed); or 126, 127 with the reason in err.
 */
int lookup_program(const struct sandbox_run *run, const struct sandbox_view *view,
		   const char *path, char **ret_path, struct rt_err *err);

#endif
