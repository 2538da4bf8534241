/*
 * Programs that Landlock does not know.  Where programs are started by name it lets the run open
 * those only that it was told at the start, and some files of the run's own tmpfs.  When another
 * one is started, by a name that the rules allow, it is copied into such a file, and the file is
 * mounted over its name: the kernel starts the copy, by the program's name.  If the run changes
 * the name meanwhile, the kernel finds what Landlock does not know, and refuses.
 *
 * A copy counts as long as the program is unchanged.  It is taken away before the run changes the
 * program (copies_touch()), and before a changed program is read (copies_changed()).  What
 * somebody else has changed is found by copies_look(), and when anything is opened or started.  If there is no
 * file left, or the copies take more than half of the run's own disk, those make room whose last
 * start is longest ago, unless they still run or somebody reads them.  Nobody knows when the kernel
 * has opened what somebody was allowed to start: for that time its file is not given to another
 * program, which waits.
 *
 * A large program is copied by the process that mounts (attach.h), one at a time; who starts it
 * waits, and polrun answers others.  When the copy has been made the start is decided anew, by its
 * name.  The copy counts for it only if the program is still the same; else it is made again.
 *
 * Of the copy the run sees another device, inode and time of change; all else is the
 * program's.  Copies count for the limit of the run's own disk.
 */
#ifndef RUNTIME_SUPERVISE_COPIES_H
#define RUNTIME_SUPERVISE_COPIES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "runtime/sandbox/sandbox.h"
#include "runtime/supervise/attach.h"
#include "runtime/supervise/held.h"

#define COPIES_LOOK_MS 10  /* how often all programs are looked at, at most */
#define COPIES_IDLE_MS 100 /* and at least */
#define COPIES_LARGEST ((off_t)512 << 20) /* bytes of one program */
#define COPIES_AT_ONCE ((off_t)1 << 20) /* up to here nobody waits for long */
#define COPIES_FRESH_MS 100 /* so long a copy is kept for whoever was allowed to start it */
#define COPIES_FULL_MS 20 /* how often it is looked for a free file, at most */

struct copy {
	int fd;         /* of the program, O_PATH; -1: the file is free */
	/* when it was copied; also of a copy that was taken away, since a program may still run */
	struct stat was;
	uint64_t number; /* known_files_number() of the program; 0: not known */
	uint64_t ino;   /* of the file */
	off_t size;     /* what the file takes, also without a copy: a program may still run */
	uint64_t last;  /* when it was started last: a number of `starts` */
	int64_t last_ms; /* sys_now_ms() */
};

/* What is being copied, or was and is not mounted yet. */
struct copies_job {
	int to; /* the file; -1: there is none */
	uint32_t i; /* its number */
	struct stat was; /* the program when that began */
	bool over, touched;
	int r; /* what has become of it */
};

struct copies {
	struct held *held; /* the caller's: asks who has a file open */
	struct attach attach;
	struct sandbox_programs known;
	int dir;         /* O_PATH, of the files */
	uint64_t dev;    /* their file system */
	uint64_t starts;
	int64_t looked_ms; /* when all programs were looked at */
	int64_t full_ms; /* when there was no free file; 0: never */
	uint32_t used;   /* files that hold a copy */
	struct copies_job job;
	struct copy v[SANDBOX_COPIES];
};

/* Takes over what the child has of it.  copies_release() is safe after a failure, and after
 * copies_none(). */
int copies_init(struct copies *c, struct held *held, struct sandbox_child *child,
		struct rt_err *err);
void copies_none(struct copies *c);
void copies_release(struct copies *c);
/* Why a program cannot be started yet. */
enum {
	COPIES_BUSY = 1, /* a large program is being copied: when that is over it is to be asked again */
	COPIES_BEGUN,    /* the same: it is this one, from now on */
	COPIES_FULL      /* so many others run, or may be about to: some time later it may be asked again */
};

/* Sees to it that the run can start the program (O_PATH, a regular file that it may read and
 * execute, on the run's mount).  0, one of these, or -errno: ETXTBSY if somebody writes it. */
int copies_start(struct copies *c, int object, dev_t dev, ino_t ino);
/* Readable when that is over; -1: nothing is being copied. */
int copies_fd(const struct copies *c);
/* It is.  Afterwards everybody who is to ask again does, and then
 * copies_settle() is called: what nobody wants any more goes. */
void copies_over(struct copies *c);
void copies_settle(struct copies *c);
/* If this is a copy of a program that has changed since, it is taken away, and *ret is the
 * program (O_PATH, the caller's); else -1.  0 or -errno. */
int copies_changed(struct copies *c, dev_t dev, ino_t ino, int *ret);
/* Does a program run from a copy of this file (O_PATH)? */
bool copies_runs(const struct copies *c, int object, dev_t dev, ino_t ino);
/* Takes away all copies of programs that have changed.  stat(2) asks nobody, nor does an open where
 * only executing is decided by name. */
void copies_look(struct copies *c);
/* How long until then, in ms; -1: there are no copies. */
int copies_wait(const struct copies *c, int64_t now_ms);
/* What is called `name` in `dir` ("": dir itself) is about to be changed. */
void copies_touch(struct copies *c, int dir, const char *name);

#endif
