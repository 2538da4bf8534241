/*
 * Stores the leftovers of runs until the user has acknowledged them: repositories and names
 * that a run has made, and that a program outside may trust.  They are in records in polrun's
 * state folder, which no run can write:
 *
 *   records.lock         locked by a process that reads or makes records (state_dir_lock())
 *   left-HASH-PID-TIME   one record; the polrun of its run locks it until the run has ended
 *
 * Each line of a record is a word and its values.  A path comes last in its line, with
 * '%' and control bytes as %HH.
 *
 *   pol-left 2
 *   project PATH
 *   running SECONDS             a run began at this time, and its polrun has not searched yet
 *   was KIND PATH               a repository that existed before the run
 *   may PATH                    a name of the floor that was absent before the run, and that the
 *                               run can make
 *   left SECONDS HOW KIND PATH  a leftover; HOW: the run `ended`, or it was `killed`
 *   more N                      N further leftovers, for which there was no room
 *   ended                       polrun has searched: lines above, except `left` and `more`, are void
 *
 * An empty record has no leftovers.  A record with `running`, without `ended` and without its
 * run's lock belongs to a run that was killed: the reader searches in its place.
 */
#ifndef RUNTIME_STATE_LEFT_STORE_H
#define RUNTIME_STATE_LEFT_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/base/err.h"
#include "runtime/base/repo.h"
#include "runtime/state/left_item.h"

/* The leftovers of one project. */
struct left_pile {
	char *project;
	struct left_item *v;
	size_t n, bytes;
	uint64_t more;     /* further leftovers, for which there was no room */
	size_t running;    /* runs that are still alive: their records are not read yet */
	bool changed;      /* the pile differs from what its records say */
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
 * Opens the folder and takes its lock; waits for it about three seconds at most.  -ENOENT: there is
 * no folder (err is untouched).  Release it in any case.
 */
int left_store_open(const char *dir, struct left_store *ret, struct rt_err *err);
void left_store_release(struct left_store *s);
/*
 * Reads the records of one project, or of all (NULL), and searches in place of runs that
 * were killed.  Drops leftovers that do not exist any more.
 */
int left_store_load(struct left_store *s, const char *project, struct rt_err *err);
/* Replaces the records from which the pile was read by one, or by none if the pile is empty. */
int left_store_save(struct left_store *s, struct left_pile *p, struct rt_err *err);
/* Removes a record, whatever it contains. */
int left_store_remove(struct left_store *s, const char *name, struct rt_err *err);
/* Makes a new record for the project.  Returns its descriptor, locked, or -errno. */
int left_store_create(struct left_store *s, const char *project);

/* What a project has when a run begins. */
struct left_before {
	const struct repo_list *repos;
	/* the i-th name of the floor that can be created; NULL after the last */
	const char *(*may)(const void *arg, size_t i);
	const void *arg;
};
/* Records that a run begins: a repository that is not in `b` is a leftover when the run has ended. */
int left_record_begin(int fd, const char *project, const struct left_before *b);
/* Records that polrun has searched after the run.  It uses only the descriptor, since the
 * supervisor's filter lets it open no file then. */
int left_record_end(int fd, const struct left_pile *found);

#endif
