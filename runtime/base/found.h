/*
 * Which files of a directory are policies. polc finds them for --discover, and polrun to
 * notice that there is another one: both must see the same.
 */
#ifndef RUNTIME_BASE_FOUND_H
#define RUNTIME_BASE_FOUND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/stat.h>

#include "runtime/base/err.h"

#define FOUND_MANAGED "/etc/pol/managed.d"

struct found {
	char **v;       /* names without the directory, sorted by their bytes */
	size_t n;
	char *other;    /* one that other programs' configuration has the like of, and that is no policy */
	struct stat st; /* of the directory; st_nlink 0 if there is none */
};

/* Lists the *.pol, *.yml and *.yaml that do not begin with a dot.  A directory that does
 * not exist has none.  0 or -errno: a directory that cannot be read is not an empty one. */
int found_list(const char *dir, struct found *ret);
void found_release(struct found *f);
/* Says that `other` is no policy, if there is one: who has put it there may believe that it denies something.
 * `dir` is the directory's name as it is shown. */
void found_tell_other(const struct found *f, const char *program, const char *dir, FILE *out);
/* The name's end if that is one of other programs' configuration, or NULL. */
const char *found_other_kind(const char *name, size_t n);

/* May nobody else write this policy, or a folder of them?  A managed one must be root's, and only root may
 * write it; another must be root's or the caller's: writers.h.  `fd` as there.  0 or -EPERM. */
int found_check_owner(const char *path, int fd, const struct stat *st, bool managed,
		      struct rt_err *err);

#endif
