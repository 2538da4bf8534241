/*
 * What runs have left for somebody to look at, as it is remembered: records in
 * the folder of polrun's state, which no run can write.
 *
 *   left.lock            held by who reads or makes records
 *   left-HASH-PID-TIME   one record; its run holds a lock on it as long as it lives
 *
 * A record is lines of a word and its values.  A path stands last in its line, with
 * '%' and control bytes as %HH.
 *
 *   pol-left 2
 *   project PATH
 *   running SECONDS             a run has begun, and not looked yet
 *   was KIND PATH               a repository that was there before it
 *   may PATH                    a name of the floor that was not, and can be made
 *   left SECONDS HOW KIND PATH  what nobody has acknowledged; HOW: ended, killed
 *   more N                      so many again that there was no room for
 *   ended                       the run has looked: what stands before but `left` is over
 *
 * An empty record has nothing to say.  A record without `ended` in whose run nobody
 * lives any more is of one that was killed: whoever reads it looks in its place.
 */
#ifndef RUNTIME_STATE_LEFT_STORE_H
#define RUNTIME_STATE_LEFT_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/base/err.h"
#include "runtime/base/repo.h"
#include "runtime/state/left_item.h"

/* What was left in one project. */
struct left_pile {
	char *project;
	struct left_item *v;
	size_t n, bytes;
	uint64_t more;     /* that there was no room for */
	size_t running;    /* runs that live, and have not looked yet */
	bool changed;      /* it is not what stands in its one record */
	char **record;     /* the names of its records */
	size_t nrecords;
};

struct left_store {
	int dirfd, lock;
	uint32_t uid;      /* whose the folder is */
	char shown[200];
	struct left_pile *pile;
	size_t npiles;
	char **bad;        /* records that cannot be read */
	size_t nbad;
};

/* Takes no item twice; past what is kept, or for want of memory, `more` counts. */
void left_pile_add(struct left_pile *p, enum left_kind kind, const char *path, int64_t when,
		   bool killed);
void left_pile_drop(struct left_pile *p, size_t i);
void left_pile_release(struct left_pile *p);

/*
 * Opens the folder and takes its lock, for which it waits some seconds at most.
 * -ENOENT: there is no folder (err is untouched).  Release in any case.
 */
int left_store_open(const char *dir, struct left_store *ret, struct rt_err *err);
void left_store_release(struct left_store *s);
/*
 * Reads the records of one project, or of all (NULL), and looks where a run was
 * killed.  What is gone is not there any more.
 */
int left_store_load(struct left_store *s, const char *project, struct rt_err *err);
/* One record, or none, instead of those that the pile was read from. */
int left_store_save(struct left_store *s, struct left_pile *p, struct rt_err *err);
/* Takes a record away, whatever it is. */
int left_store_remove(struct left_store *s, const char *name, struct rt_err *err);
/* A new record of that project: its descriptor, locked, or -errno. */
int left_store_create(struct left_store *s, const char *project);

struct left_before {
	const struct repo_list *repos;
	/* a name of the floor that can be made, or NULL behind the last */
	const char *(*may)(const void *arg, size_t i);
	const void *arg;
};
/* A run begins: what it does not find when it has ended is new. */
int left_record_begin(int fd, const char *project, const struct left_before *b);
/* It has looked, from the descriptor only. */
int left_record_end(int fd, const struct left_pile *found);

#endif
