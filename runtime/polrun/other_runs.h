/*
 * The files by which the runs of a user, and commits of staged ones, know of one another: a lock for
 * calls that make and move names (names_lock.h), and the list of what is left open (left_open.h).
 *
 * They lie in `dir`, the folder of the user's state below HOME, whatever XDG_STATE_HOME says: runs
 * with different values of it would not meet, and a file of the project may set it (.env).
 */
#ifndef RUNTIME_POLRUN_OTHER_RUNS_H
#define RUNTIME_POLRUN_OTHER_RUNS_H

#define OTHER_RUNS_LOST 512 /* room for a sentence about what does not hold; empty if all holds */

/*
 * Opens root's lock, where users share trees, or the user's own.  ret_lost says that there is none, or that other
 * users write `project` and have no lock in common with this one.  A descriptor, or -errno.
 */
int other_runs_open_lock(const char *dir, const char *project, char ret_lost[OTHER_RUNS_LOST]);
/* Opens the list, and the lock of the runs that use it.  If one cannot be opened both are -1, and ret_lost says
 * so. */
void other_runs_open_list(const char *dir, int *ret_list, int *ret_lock, char ret_lost[OTHER_RUNS_LOST]);

#endif
