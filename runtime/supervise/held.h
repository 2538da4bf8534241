/*
 * The files that a run can write through descriptors which the broker gave it.  Each was
 * allowed by the name that it had then.  A process of the host may rename such a file to a
 * name that the rules deny: git does so with .git/config.lock, and an editor with what it
 * has saved.  The run would write on there.
 *
 * So each file is kept (O_PATH) for as long as somebody has it open for writing.  That is
 * known by a read lease (fcntl(2), F_SETLEASE), which is refused while there is such a
 * descriptor or mapping.  A lease needs a descriptor that is open for reading, so whoever watches the
 * file (inotify(7)) sees one IN_OPEN and one IN_CLOSE_NOWRITE of polrun's.  Files that are closed soon,
 * which most are, cost no more.  Those that stay open are kept open for reading, so that asking again
 * is not seen; they are watched, and the directories above them as well (inotify(7),
 * IN_MOVE_SELF).  After an event the name that the file has now is looked at again.
 *
 * What a run has had open once is remembered by number (known_files.h), so that walls_name.h can tell whether a file that appears at a name was one of them.
 */
#ifndef RUNTIME_SUPERVISE_HELD_H
#define RUNTIME_SUPERVISE_HELD_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "runtime/broker/broker.h"
#include "runtime/supervise/known_files.h"

#define HELD_SOON_MS 50 /* when what is new is looked at; how often without events */
#define HELD_STEP_MS 2  /* so long held_step() looks, but for the file that it is at */

struct held_file {
	int fd; /* O_PATH, or open for reading */
	int wd; /* -1: it is not watched */
	bool linked;
	bool readable; /* fd is open for reading */
	bool fifo; /* there is no lease of it: it may be open as long as it has a name */
	bool named; /* it has had a name: when it has none any more, it never gets one again */
	uint64_t number;
	uint64_t dev, ino; /* of the file, which cannot go while it is kept */
};

struct held {
	const struct broker *broker; /* the caller's: its trees and its rules */
	int events; /* the caller's inotify instance, or -1; may be set at any time */
	struct held_file *v;
	size_t n, cap, most;
	size_t sweep_at; /* so many are looked at once more before the next one is noted */
	int64_t due_ms;  /* when the next pass is to begin; 0: not until an event */
	size_t at;       /* a pass is under way: the files below this index are still to be looked at */
	bool again;      /* something has moved since it began: another one follows */
	bool unwatched;  /* it has met a file that no event tells of */
	struct known_files known;
};

struct held_lost {
	char path[PATH_MAX]; /* inside; "": every file has an allowed name */
	uint32_t rule;
};

/* `most`: of files at a time.  No call of the kernel. */
void held_init(struct held *h, const struct broker *broker, size_t most);
void held_release(struct held *h);
/*
 * Notes a regular file or FIFO that is open for writing, before the run gets the descriptor; or
 * (`linked`) one of the names of a file to which the run makes a link: it is kept by this
 * name for as long as it has others, by which the run could write it.  0, or -errno: then the
 * run must not get it (-EMFILE: it holds too many).  `fd` stays the caller's.  `object`, if it is
 * not NULL: an O_PATH descriptor of the file (or -1), and -1 if it was taken.
 */
int held_add(struct held *h, int fd, int *object, bool linked);
/* Sees to it that one more can be noted: 0 or -errno. */
int held_make_room(struct held *h);
/*
 * Has anybody else the regular file `fd` (open for reading) open: for writing (`lease` is
 * F_RDLCK), or at all (F_WRLCK)?  0: nobody; -EAGAIN: somebody; -EACCES: it cannot be known: it is
 * somebody else's file, or its file system has no leases.
 */
int held_ask(int fd, int lease);
/*
 * For each of at most `most` files that are open for writing still, apart from polrun's own standard error:
 * calls tell() with its number, its path inside ("": it has none, or it is not known) and whether the rules deny writing
 * there.  The run has ended.  False: there are more, or tell() has failed.
 */
bool held_tell_open(struct held *h, size_t most,
		    bool (*tell)(void *arg, uint64_t number, const char *path, bool denied), void *arg);
/* Has anybody the regular file `fd` (O_PATH) open for writing?  Also if it cannot be known. */
bool held_has_writer(const struct held *h, int fd);
/* Is it known that somebody has it open for writing? */
bool held_surely_has_writer(const struct held *h, int fd);
/* Or open at all? */
bool held_is_open(struct held *h, int fd);
/* The regular file or FIFO `fd` has lost a name.  If that was its last one it is not kept any longer: nobody but
 * who has it open holds its blocks then. */
void held_removed(struct held *h, int fd);
/* An event: all files are to be looked at once more, by held_step(). */
void held_moved(struct held *h);
/*
 * Goes on with the look at all files, or begins it when it is due.  One call takes about
 * HELD_STEP_MS however many files there are: the run decides how many it holds and how often
 * they move, and the supervisor has to see in between that a protected path was lost.
 */
void held_step(struct held *h, struct held_lost *ret);
/* Looks at all of them at once, whatever time it takes. */
void held_look(struct held *h, struct held_lost *ret);
/* How long until held_step() is to be called without an event, in ms; -1: not at all. */
int held_wait(const struct held *h, int64_t now_ms);

#endif
