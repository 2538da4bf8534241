/*
 * The files by which the runs of a user, and commits of staged ones, know of one another: a lock for
 * calls that make and move names (names_lock.h), and the list of what is left open (left_open.h).
 *
 * They lie in `dir`, the folder of the user's state below HOME, whatever XDG_STATE_HOME says: runs
 * with different values of it would not meet, and a file of the project may set it (.env).
 */
#ifndef RUNTIME_POLRUN_OTHER_RUNS_H
#define RUNTIME_POLRUN_OTHER_RUNS_H

#include <stdio.h>

/*
 * Opens root's lock, where users share trees, or the user's own.  If there is none, or other users write
 * `project` and have no lock in common with this one, a line in `notes` says so.  A descriptor, or -errno.
 */
int other_runs_open_lock(const char *dir, const char *project, FILE *notes);
/* Opens the list, and the lock of the runs that use it; both are -1 if one cannot be opened, and a line
 * in `notes` says so. */
void other_runs_open_list(const char *dir, FILE *notes, int *ret_list, int *ret_lock);

#endif
