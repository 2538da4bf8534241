/* The programs that ours execute: they lie where `make install` has put them. */
#ifndef RUNTIME_BASE_OWN_H
#define RUNTIME_BASE_OWN_H

#include <limits.h>

#include "runtime/base/err.h"

enum { OWN_PATH = PATH_MAX + 64 };

/*
 * Opens the program `name` for execution: the file beside the running executable (in a
 * build tree), else the one in ../libexec/pol of it.  `self` is the running program's
 * name, for messages.  A descriptor with O_CLOEXEC, or -errno if there is none or if
 * everybody may write it.
 */
int own_open(const char *self, const char *name, struct rt_err *err);
/* The same; `ret_path` (OWN_PATH bytes) gets the path by which it was opened. */
int own_open_path(const char *self, const char *name, char *ret_path, struct rt_err *err);

#endif
