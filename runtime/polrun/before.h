/* What polrun checks before it makes a sandbox. */
#ifndef RUNTIME_POLRUN_BEFORE_H
#define RUNTIME_POLRUN_BEFORE_H

#include "runtime/sandbox/sandbox.h"

/* Opens polinit, which lies beside polrun or in ../libexec/pol.  -errno if it is
 * missing or could have been written by everybody. */
int before_open_polinit(struct rt_err *err);
/* The same for polnft, which a limited network needs if there is no nft.batch. */
int before_open_polnft(struct rt_err *err);
int before_open_polgate(struct rt_err *err);
int before_open_polinject(struct rt_err *err);
/* Returns absolute names, malloc'ed, of those elements of `path` that are not NULL: as
 * they are written, but physical if one contains "..".  0 or -errno. */
int before_keep(const char *const *path, size_t n, const char *cwd,
		char **ret, size_t *ret_n, struct rt_err *err);
/* Says in `ret` that the project's .git is a file that points outside of the view; an empty
 * text if it is not. */
void before_check_dot_git(const char *project, const struct sandbox_view *view, char *ret,
			  size_t cap);

#endif
