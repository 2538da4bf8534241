/* What polrun looks at before it makes a sandbox. */
#ifndef RUNTIME_POLRUN_BEFORE_H
#define RUNTIME_POLRUN_BEFORE_H

#include "runtime/sandbox/sandbox.h"

#define BEFORE_KEPT 5

/* A descriptor of polinit, from beside polrun or from ../libexec/pol; -errno
 * where it is missing or everybody could have written it. */
int before_open_polinit(struct rt_err *err);
/* The same of polnft, which a limited network needs without nft.batch. */
int before_open_polnft(struct rt_err *err);
/* Absolute names, malloc'ed, of those of `path` that are not NULL: as they are
 * written, but physical where one has a "..".  Returns 0 or -errno. */
int before_keep(const char *const *path, size_t n, const char *cwd,
		char *ret[BEFORE_KEPT], size_t *ret_n, struct rt_err *err);
/* One line where the project's .git is a file that points outside of the view. */
void before_check_dot_git(const char *project, const struct sandbox_view *view);

#endif
