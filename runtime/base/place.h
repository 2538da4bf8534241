/*
 * Where a run or a decision takes place: the one answer of polrun and polc to
 * "which directory is the project".  Paths are absolute and physical, without
 * '.', '..', '//' and a last '/'.
 */
#ifndef RUNTIME_BASE_PLACE_H
#define RUNTIME_BASE_PLACE_H

#include <stdbool.h>

/* Absolute, without '.', '..', '//' and a last '/': it is judged as it
 * stands.  NULL is not. */
bool place_is_plain(const char *path);
/* Whether `path` is `dir` or lies below it. */
bool place_is_below(const char *path, const char *dir);
/*
 * The nearest ancestor of `from`, itself included, strictly below `home` (or
 * below "/" outside of it) that holds .pol or .git, else `from`.  malloc'ed;
 * NULL and errno without memory, or where a directory cannot be looked at for
 * another reason than that one may not enter it.
 */
char *place_project(const char *from, const char *home);
/*
 * The physical path of `path` (absolute, without '.', '..', '//' and a last
 * '/'): symbolic links in the beginning of it that exists are followed, the
 * rest stays as it is.  0, -ENAMETOOLONG, or -ELOOP where a link leads nowhere
 * or in a circle; what may not be looked at counts as not there.  `out` has
 * PATH_MAX bytes.
 */
int place_physical(const char *path, char *out);

#endif
