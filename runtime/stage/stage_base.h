/*
 * What lay in the trees when a staged run began.  The file `base` of a stage has a line for
 * every name:
 *
 *   TREE MODE UID GID NLINK DEV INO SIZE MTIME NSEC CTIME NSEC KNOWN PATH
 *
 * KNOWN is "-" (times are enough), "?" (it could not be read) or a digest in hex; PATH is
 * from the top of the tree, "" for the top itself.
 */
#ifndef RUNTIME_STAGE_STAGE_BASE_H
#define RUNTIME_STAGE_STAGE_BASE_H

#include <stddef.h>

#include "runtime/base/err.h"
#include "runtime/stage/stage_stat.h"
#include "runtime/stage/stage_text.h"

struct stage_node {
	unsigned tree;
	const char *path;
	struct stage_stat st;
};

struct stage_base {
	char *text;            /* malloc'ed; the paths point into it */
	struct stage_node *v;  /* malloc'ed; sorted by tree, then by path's bytes */
	size_t n;
};

/* Adds the lines of one tree.  `shown` is its name, for the message: something mounted in
 * it, and more names than STAGE_MAX_NAMES, are refused. */
int stage_base_look(unsigned tree, int top, const char *shown, struct stage_text *to,
		    struct rt_err *err);
/* Takes over `text` (malloc'ed, NUL-terminated), also on failure.  -EBADMSG; -ENOMEM. */
int stage_base_read(char *text, struct stage_base *ret);
void stage_base_release(struct stage_base *b);
/* NULL: there was nothing. */
const struct stage_node *stage_base_find(const struct stage_base *b, unsigned tree,
					 const char *path);
/* Orders as the array is ordered. */
int stage_base_order(unsigned tree_a, const char *a, unsigned tree_b, const char *b);
/* The index of the first node that is not before this name; b->n: none. */
size_t stage_base_first(const struct stage_base *b, unsigned tree, const char *path);

#endif
