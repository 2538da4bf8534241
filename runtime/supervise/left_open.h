/*
 * Tells other runs of the same user which files are still open for writing when a run has ended.
 *
 * A run may pass a descriptor to another run over a socket that a rule allows.  The broker of the other
 * run has not opened the file, so held.h there does not know of it.  The broker that has opened it knows
 * at the run's end, when no process of the run is left, that somebody still has the file open: it appends
 * the file to a list in polrun's state folder, and each run that is alive then reads the entry
 * (inotify(7) on the list), finds the file by its name and keeps it as one that it has opened itself.
 * A run that begins later needs no entry: it can get the descriptor only from a run that is alive, which has
 * read the entry and tells of the file when it ends.
 *
 * Each run has a shared lock (flock(2)) on a second file as long as it lives.  Its mode is 0200, so that no
 * run can open it.  A run that gets the lock alone knows that there is no other run: it asks about no
 * file at its end, and empties the list at its start.
 */
#ifndef RUNTIME_SUPERVISE_LEFT_OPEN_H
#define RUNTIME_SUPERVISE_LEFT_OPEN_H

#include <sys/types.h>

#include "runtime/base/err.h"
#include "runtime/sandbox/sandbox_view.h"
#include "runtime/supervise/held.h"

#define LEFT_OPEN_MOST 1024u        /* entries of one run; then one that stands for any file */
#define LEFT_OPEN_ROOM (64 * 1024) /* bytes of the disk that each run keeps free for them */

struct left_open {
	const struct sandbox_view *view;
	struct held *held; /* NULL: there is no list */
	int list, lock;    /* the caller's descriptors */
	off_t at;          /* what is before it has been read */
	bool more;         /* left_open_read() has not read all */
};

/* `list` (read, append) and `lock` (write): not above 2 if there is none.  Call it before the command
 * begins.  0, or -EBUSY: the lock could not be had in five seconds, and other runs would take themselves
 * for alone; then there must be no run. */
int left_open_init(struct left_open *l, const struct sandbox_view *view, struct held *held, int list,
		   int lock, struct rt_err *err);
/* Reads what other runs have told since the last call, for about HELD_STEP_MS.  ret->path is set if a file has been
 * given a name that this run must not write. */
void left_open_read(struct left_open *l, struct held_lost *ret);
/* The run has ended: tells of what is open still, and gives the lock back. */
void left_open_tell(struct left_open *l);

#endif
