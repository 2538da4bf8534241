/*
 * What a stage is of: the file `record`, whose lines are only ever added.
 *
 *   pol-stage 1
 *   begun SECONDS
 *   bundle DIGEST               of the manifest; the bundle itself lies beside the record
 *   root NUMBER PATH            what a root of the policy was (enum pb_root)
 *   tree DEV INO PATH           a writable tree, in the order of their numbers
 *   host N PATH                 the host's name of tree N, if the run saw it at another
 *   closed PATH                 a name in a tree that no run may write, whatever rules say
 *   made RULE PATH              a name that was absent, and that a run may make although this
 *                               rule of the floor denies it (`git init`)
 *   alias RULE LENDS PATH       the path of a rule which leads through links; LENDS: 1 if it
 *   real PATH                   gives what it allows to `real`, where it led to, else 0
 *   command TEXT                what was run, for people
 *   init PID TICKS              pid 1 of the run, and when it started (proc(5), field 22)
 *   ended STATUS SECONDS        the run has ended; without this line it was killed, or runs
 *   empty                       and it has changed nothing
 *   done N PATH                 was committed, and is no change any more
 *   shared DEV INO DIGEST       the content of a file outside, several names of which the run has
 *                               changed, before the first of them was committed (stage_shared.h)
 *   writer DEV INO              a file of an upper layer that a process outside had open for writing
 *                               when the run had ended
 */
#ifndef RUNTIME_STAGE_STAGE_RECORD_H
#define RUNTIME_STAGE_STAGE_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/bundle/format.h"
#include "runtime/stage/stage_stat.h"
#include "runtime/stage/stage_text.h"

enum { STAGE_MAX_TREES = 256 };

struct stage_tree {
	const char *path, *host; /* in the run; outside */
	uint64_t dev, ino;       /* of its top, outside */
	/* of a new record, if the caller is root: whose the upper layer shall be */
	uint32_t uid, gid;
	int top;                 /* O_PATH, outside; -1 */
	int upper;               /* the upper layer; -1 */
};

struct stage_made {
	uint32_t rule;
	const char *path;
};

struct stage_alias {
	uint32_t rule;
	bool lends;
	const char *path, *real;
};

struct stage_done {
	unsigned tree;
	const char *path;
};

struct stage_known_file {
	uint64_t dev, ino;
	uint8_t digest[STAGE_DIGEST];
};

struct stage_record {
	char *text;      /* malloc'ed; what follows points into it */
	int64_t begun, ended;
	const char *bundle, *command;
	const char *root[PB_ROOT_COUNT];
	struct stage_tree *tree;
	size_t ntrees;
	const char **closed;
	size_t nclosed;
	struct stage_made *made;
	size_t nmade;
	struct stage_alias *alias;
	size_t nalias;
	struct stage_done *done; /* sorted */
	size_t ndone;
	struct stage_known_file *shared; /* sorted */
	size_t nshared;
	struct stage_known_file *writer; /* sorted, without digests */
	size_t nwriters;
	bool has_ended, empty;
	int status;
	uint64_t init, ticks; /* 0: never started */
};

/* Takes over `text` (malloc'ed, NUL-terminated), also on failure.  A last line without a
 * newline is left out.  -EBADMSG; -ENOMEM. */
int stage_record_read(char *text, struct stage_record *ret);
bool stage_record_is_done(const struct stage_record *r, unsigned tree, const char *path);
/* The digest of a `shared` line for this file; NULL: there is none. */
const uint8_t *stage_record_shared(const struct stage_record *r, uint64_t dev, uint64_t ino);
/* True if the record has a `writer` line for this file of an upper layer: a process outside could still change it
 * after the run. */
bool stage_record_has_writer(const struct stage_record *r, uint64_t dev, uint64_t ino);
/* Closes the descriptors of the trees as well. */
void stage_record_release(struct stage_record *r);

/* The lines of a new record; `root` as in struct decide_roots, elements may be NULL. */
struct stage_new {
	const char *bundle, *command;
	const char *const *root;
	const struct stage_tree *tree; /* host NULL: the same as path */
	size_t ntrees;
	const char *const *closed;
	size_t nclosed;
	const struct stage_made *made;
	size_t nmade;
	const struct stage_alias *alias;
	size_t nalias;
};
void stage_record_write(const struct stage_new *n, int64_t now, struct stage_text *to);

#endif
