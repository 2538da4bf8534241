/*
 * Remembers what runs have left for somebody to look at, as records in the folder of
 * polrun's state, which no run can write.
 *
 *   records.lock         held by a process that reads or makes records (state_dir_lock())
 *   left-HASH-PID-TIME   one record; its run holds a lock on it as long as it lives
 *
 * Each line of a record is a word and its values.  A path comes last in its line, with
 * '%' and control bytes as %HH.
 *
 *   pol-left 2
 *   project PATH
 *   running SECONDS             a run has begun, and has not looked yet
 *   was KIND PATH               a repository that existed before the run
 *   may PATH                    a name of the floor that did not, and can be created
 *   left SECONDS HOW KIND PATH  not acknowledged by anybody yet; HOW: ended, killed
 *   more N                      N further ones, for which there was no room
 *   ended                       the run has looked: lines above, except `left`, are void
 *
 * An empty record means nothing.  A record without `ended` whose run does not live any
 * more belongs to a run that was killed: its reader looks instead of that run.
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
	uint64_t more;     /* further ones, for which there was no room */
	size_t running;    /* runs that are still alive and have not looked yet */
	bool changed;      /* the pile differs from its one record */
	char **record;     /* the names of its records */
	size_t nrecords;
};

struct left_store {
	int dirfd, lock;
	uint32_t uid;      /* owner of the folder */
	char shown[200];
	struct left_pile *pile;
	size_t npiles;
	char **bad;        /* names of records that cannot be read */
	size_t nbad;
};

/* Adds an item unless it is there already.  Beyond the limits, or without memory, only
 * `more` is increased. */
void left_pile_add(struct left_pile *p, enum left_kind kind, const char *path, int64_t when,
		   bool killed);
void left_pile_drop(struct left_pile *p, size_t i);
void left_pile_release(struct left_pile *p);

/*
 * Opens the folder and takes its lock; waits a few seconds at most.  -ENOENT: there is
 * no folder (err is untouched).  Release it in any case.
 */
int left_store_open(const char *dir, struct left_store *ret, struct rt_err *err);
void left_store_release(struct left_store *s);
/*
 * Reads the records of one project, or of all (NULL), and looks instead of runs that
 * were killed.  Drops what does not exist any more.
 */
int left_store_load(struct left_store *s, const char *project, struct rt_err *err);
/* Writes one record, or none, in place of those from which the pile was read. */
int left_store_save(struct left_store *s, struct left_pile *p, struct rt_err *err);
/* Removes a record, whatever it contains. */
int left_store_remove(struct left_store *s, const char *name, struct rt_err *err);
/* Makes a new record for the project.  Returns its descriptor, locked, or -errno. */
int left_store_create(struct left_store *s, const char *project);

struct left_before {
	const struct repo_list *repos;
	/* the i-th name of the floor that can be created; NULL after the last */
	const char *(*may)(const void *arg, size_t i);
	const void *arg;
};
/* Records that a run begins: what is not listed here counts as new when it has ended. */
int left_record_begin(int fd, const char *project, const struct left_before *b);
/* Records that the run has looked.  Uses only the descriptor. */
int left_record_end(int fd, const struct left_pile *found);

#endif
