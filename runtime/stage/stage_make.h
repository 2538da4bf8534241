/* Makes a copy of an object of the upper layer outside, under a name of its own. */
#ifndef RUNTIME_STAGE_STAGE_MAKE_H
#define RUNTIME_STAGE_STAGE_MAKE_H

#include "runtime/stage/stage_entry.h"

/*
 * Makes it as `temp` in `parent` with all that belongs to it: bytes with their holes,
 * attributes, group, mode, time.  A file's bytes are on the disk when this returns.  A
 * directory is empty.  On failure nothing is left.  0 or -errno; *ret gets what was made.
 */
int stage_make(int upper, const struct stage_entry *e, int parent, const char *temp,
	       struct stage_stat *ret);
/*
 * Makes the copy of a file without a name (O_TMPFILE), so that nobody can open it for writing.  A
 * descriptor that is open for reading; or -EOPNOTSUPP where the file system has no such files
 * (open(2)), or -errno.
 */
int stage_make_unnamed(int upper, const struct stage_entry *e, int parent);
/* Gives it a name that nothing has.  0 or -errno. */
int stage_give_name(int fd, int parent, const char *name);
/* Sets mode, attributes or times of what is open as `fd` (O_PATH) as the entry says. */
int stage_set(int upper, const struct stage_entry *e, int fd);

#endif
