/* Finds the command's program, and checks that its working directory can be read. */
#ifndef RUNTIME_POLRUN_LOOKUP_H
#define RUNTIME_POLRUN_LOOKUP_H

#include "runtime/sandbox/sandbox.h"

/* Checks that the run's working directory is readable in the view.  0, or -1 with what
 * makes it unreadable, or what would make it readable, in err. */
int lookup_check_cwd(const struct sandbox_run *run, const struct sandbox_view *view,
		     const char *project, struct rt_err *err);
/*
 * Looks for the program in `path` (the command's PATH, or NULL), as the view shows it.
 * 0 and *ret_path (malloc'ed), or 126 or 127 with the reason in err.
 */
int lookup_program(const struct sandbox_run *run, const struct sandbox_view *view,
		   const char *path, char **ret_path, struct rt_err *err);

#endif
