/*
 * The folder of a user's staged runs, below that of the state (state_dir.h), which no run
 * can write:
 *
 *   stage/ID/record          what it is of (stage_record.h)
 *   stage/ID/base            what lay in the trees at the start (stage_base.h)
 *   stage/ID/bundle.polb     the rules of the run
 *   stage/ID/N/upper, work   the layer of tree N, written by overlayfs
 *
 * ID is 32 random hexadecimal digits.  A run, and whoever reviews or commits, hold a lock on
 * the folder ID.  A folder without a record is nobody's: the rest of one that was being
 * removed, or made.
 */
#ifndef RUNTIME_STAGE_STAGE_STORE_H
#define RUNTIME_STAGE_STAGE_STORE_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "runtime/base/err.h"
#include "runtime/bundle/reader.h"
#include "runtime/decide/decide.h"
#include "runtime/stage/stage_base.h"
#include "runtime/stage/stage_record.h"

enum { STAGE_ID = 32, STAGE_ID_LEAST = 8, STAGE_ID_SHOWN = 12 };

struct stage {
	char id[STAGE_ID + 1];
	int folder, dir; /* of all stages; of this one, locked */
	int record;      /* the file, to add lines to; -1 */
	/* of one that was made by stage_create(): */
	size_t nlayers;
	struct stage_stat *upper; /* the tops of the layers before the command; malloc'ed */
	struct stage_record rec;
	struct stage_base base;
	struct bundle bundle;
	struct decide_ctx ctx;
};

#define STAGE_NONE { .folder = -1, .dir = -1, .record = -1 }

/*
 * Makes a new one with an upper and a work directory for each tree, and looks at what lies
 * in them.  `bundle` is the bundle's bytes.  `command` is shown to people.  The trees of
 * `n` need their `top`.  0, or -errno with nothing left.
 */
int stage_create(const char *state, const struct stage_new *n, const void *bundle,
		 size_t size, struct stage *ret, struct rt_err *err);
/* Adds that the run's pid 1 has been started and has set the layers up. */
int stage_note_init(struct stage *s, uint64_t pid, uint64_t ticks);
/* Adds that the run has ended.  Only write(2). */
int stage_note_end(const struct stage *s, int status, int64_t now);
/* Adds to the record which files are still open for writing, that the run has ended, and, if so, that it has changed
 * nothing.  Opens files only below descriptors: the supervisor's filter allows nothing else when the run has ended. */
int stage_close(const struct stage *s, int status, int64_t now, bool *ret_empty);
/* Removes those that have ended and changed nothing, as far as it can: the supervisor
 * itself must not remove anything. */
void stage_sweep(const char *state);
/* Its folder with the layer of tree N: O_PATH, or -errno. */
int stage_open_layer(const struct stage *s, size_t n);
/* "STATE/stage/ID/N", or with `s` NULL "STATE/stage".  -ENAMETOOLONG. */
int stage_path(const char *state, const struct stage *s, size_t n, char ret[PATH_MAX]);
int stage_note_done(const struct stage *s, unsigned tree, const char *path);
/* Adds what a file was whose names are about to be committed. */
int stage_note_shared(const struct stage *s, const struct stage_known_file *f);

/*
 * Opens the one whose ID begins with `id`, or the only one (NULL).  Refuses one whose run
 * lives, and takes its lock, so that nobody else acts on it.  -ENOENT: there is none;
 * -EEXIST: several; -EBUSY.  Release it in any case.
 */
int stage_open(const char *state, const char *id, struct stage *ret, struct rt_err *err);
/* Opens what a review or a commit needs: the trees and the base; the rules. */
int stage_load(struct stage *s, struct rt_err *err);
int stage_load_rules(const char *state, struct stage *s, struct rt_err *err);
void stage_release(struct stage *s);
/* Calls `f` with each ID, in no order.  Ends early with what it returns, if not 0. */
int stage_each(const char *state, int (*f)(void *arg, const char *id), void *arg,
	       struct rt_err *err);
/* Removes it, the record first. */
int stage_remove(struct stage *s, struct rt_err *err);

#endif
