/* One change that a staged run made: what a review shows and a commit applies. */
#ifndef RUNTIME_STAGE_STAGE_ENTRY_H
#define RUNTIME_STAGE_STAGE_ENTRY_H

#include <stdbool.h>
#include <stddef.h>

#include "runtime/base/err.h"
#include "runtime/stage/stage_base.h"
#include "runtime/stage/stage_record.h"

enum stage_op {
	STAGE_CREATE,
	STAGE_MODIFY, /* content, target or attributes */
	STAGE_DELETE,
	STAGE_MODE,   /* of what stays as it is else */
	STAGE_TIMES,  /* nothing but the time of the last change */
	STAGE_TYPE,   /* something of another kind takes the name */
	STAGE_OP_COUNT
};

enum stage_state {
	STAGE_READY,    /* can be committed */
	STAGE_SAME,     /* outside it is so already: no change, or one that was committed */
	STAGE_CHANGED,  /* what lies outside is not what was there when the run began */
	STAGE_DENIED,   /* the rules of the run do not allow writing this name */
	STAGE_UNFIT,    /* no commit carries this over: `why` says the reason */
	STAGE_COMMITTED,/* a commit has applied it now */
	STAGE_FAILED    /* a commit could not apply it: `why` */
};

enum { STAGE_WHY = 240, STAGE_NO_LINK = -1 };

struct stage_entry {
	enum stage_op op;
	unsigned tree;
	char *path;                    /* from the top; "": the top; malloc'ed */
	const struct stage_node *base; /* what was there at the start; NULL: nothing */
	struct stage_stat now;         /* the run's object; all 0 for STAGE_DELETE */
	char *target;                  /* of a symbolic link; malloc'ed, or NULL */
	long link;                     /* index of the first entry that is a name of the same
	                                  file; STAGE_NO_LINK: it is itself, or the only one */
	bool covers;                   /* of a directory: hides the one outside */
	bool plain;                    /* only there because something below it changed */
	bool attrs;                    /* attributes differ, too, or what is new has some */
	bool half;                     /* a new directory that is in place, and still has more
	                                  rights for its owner than it shall have */
	/* filled by stage_judge() */
	enum stage_state state;
	uint32_t rule;                 /* that decides about writing the name */
	char why[STAGE_WHY];           /* for CHANGED, UNFIT and FAILED, escaped */
	uint64_t placed_dev, placed_ino; /* outside; of the object as it shall be; 0: none */
};

struct stage_delta {
	struct stage_entry *v; /* sorted by tree and path */
	size_t n, cap;
};

/*
 * Compares the upper layers with what lay there at the start, and lists every difference:
 * each name by itself, also below a directory that was deleted as a whole.  What lies
 * outside now is not looked at.  The entries point into `base`.
 */
int stage_delta_find(const struct stage_record *r, const struct stage_base *base,
		     struct stage_delta *ret, struct rt_err *err);
void stage_delta_release(struct stage_delta *d);
/* NULL: this name has not changed. */
struct stage_entry *stage_delta_get(const struct stage_delta *d, unsigned tree,
				    const char *path);
/* Is the entry at this path of the tree, or below it? */
bool stage_entry_below(const struct stage_entry *e, unsigned tree, const char *path);
/* The name in the run, or outside: the tree's and the path's.  malloc'ed; NULL: memory. */
char *stage_entry_name(const struct stage_record *r, const struct stage_entry *e, bool outside);
/* The length of the path of the directory above; 0: the top. */
size_t stage_above(const char *path);

#endif
