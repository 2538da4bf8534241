/* What is the same in the upper layer and outside. */
#ifndef RUNTIME_STAGE_STAGE_EQUAL_H
#define RUNTIME_STAGE_STAGE_EQUAL_H

#include "runtime/stage/stage_entry.h"

struct stage_equal {
	bool content; /* same kind, same bytes, target */
	bool attrs, mode, times;
};

/* Compares the run's object with what is at `name` in `parent`, which was seen as `st`. */
int stage_equal_find(int upper, const struct stage_entry *e, int parent, const char *name,
		     const struct stage_stat *st, struct stage_equal *ret);
/* What is known of the attributes of a directory, as in the base; fills `digest`. */
enum stage_known stage_equal_dir_known(int parent, const char *name, uint8_t *digest);
/* Finds a name in the directory outside whose deletion is not part of the change.  1, and
 * the escaped name; 0; -errno. */
int stage_equal_stranger(int top, const char *path, const struct stage_delta *d, unsigned tree,
			 char *ret_name, size_t cap);
/* Opens the object of the run to read it; checks that it is the one that was listed. */
int stage_upper_open(int upper, const struct stage_entry *e, int flags);

#endif
