/* Finds the command's program, and checks that its working directory can be read. */
#ifndef RUNTIME_POLRUN_LOOKUP_H
#define RUNTIME_POLRUN_LOOKUP_H

#include "runtime/sandbox/sandbox.h"

/* Checks that the run's working directory is readable in the view.  0, or -1 with what
 * makes it unreadable, or what would make it readable, in err. */
int lookup_check_cwd(const struct sandbox_run *run, const struct sandbox_view *view,
		     const char *project, struct rt_err *err);
/*
 * A directory of PATH that the view shows by another name only gets that name: fnm's is a link in
 * /run that leads to what std/profile/tools shows.  0 or -ENOMEM.
 */
int lookup_path_inside(char **envp, const struct sandbox_view *view);
/*
 * Looks for the program in `path` (the command's PATH, or NULL), as the view shows it.
 * 0 and *ret_path (malloc'ed), or 126 or 127 with the reason in err.
 */
int lookup_program(const struct sandbox_run *run, const struct sandbox_view *view,
		   const char *path, char **ret_path, struct rt_err *err);

#endif
