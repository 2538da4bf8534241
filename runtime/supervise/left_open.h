/*
 * Tells other runs of the same user which files are still open for writing when a run has ended.
 *
 * A run can pass a descriptor to another run over a socket that a rule allows.  The broker of the other
 * run has not opened the file, so held.h in that polrun does not know it.  When a run has ended and none of its
 * processes is left, its polrun sees which of the files that its broker opened are still open for writing.
 * It appends these files to a list in polrun's state folder.  The polrun of each other run is woken by
 * inotify(7), reads the entry, finds the file by its name, and keeps it like a file that its own broker has opened.
 * A run that begins later needs no entry: it can get the descriptor only from a run that was alive then.  That
 * run has read the entry, and appends the file again when it ends.
 *
 * Each polrun has a shared lock (flock(2)) on a second file until its run has ended.  The file's mode is 0200, so that
 * no run can open it.  A polrun that gets the exclusive lock knows that there is no other run: then it empties the
 * list at its start, and appends nothing at its end.
 */
#ifndef RUNTIME_SUPERVISE_LEFT_OPEN_H
#define RUNTIME_SUPERVISE_LEFT_OPEN_H

#include <sys/types.h>

#include "runtime/base/err.h"
#include "runtime/sandbox/sandbox_view.h"
#include "runtime/supervise/held.h"

#define LEFT_OPEN_MOST 1024u        /* entries of one run; one more stands for any other file */
#define LEFT_OPEN_ROOM (64 * 1024) /* bytes of the disk that a run allocates for them */

struct left_open {
	const struct sandbox_view *view;
	struct held *held; /* NULL: there is no list */
	int list, lock;    /* the caller's descriptors */
	off_t at;          /* the list has been read up to here */
	bool more;         /* the last left_open_read() has left entries unread */
};

/* `list` (open for reading and appending) and `lock` (open for writing): 2 or less if there is none.  Call it before
 * the command begins.  0, or -EBUSY: polrun did not get the shared lock within five seconds.  Then the run must not
 * begin, since other runs would not know of it. */
int left_open_init(struct left_open *l, const struct sandbox_view *view, struct held *held, int list,
		   int lock, struct rt_err *err);
/* Reads the entries that other runs have appended since the last call, for about HELD_STEP_MS.  ret->path is set if
 * such a file has a name that this run must not write. */
void left_open_read(struct left_open *l, struct held_lost *ret);
/* Call it when the run has ended: appends the files that are still open for writing, and unlocks. */
void left_open_tell(struct left_open *l);

#endif
