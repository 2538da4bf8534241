/*
 * What a run has changed in the host's trees: each name with what was there before and what is
 * there after, for the report.
 *
 * The broker notes a name before it acts on it, so that in trees in which names are decided
 * one by one nothing is missed.  For other trees the caller puts in what it found by looking
 * before and after (runtime/polrun/artifacts.h).
 */
#ifndef RUNTIME_SUPERVISE_EFFECTS_H
#define RUNTIME_SUPERVISE_EFFECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#define EFFECTS_MAX 65536u /* names */
#define EFFECTS_DIGEST 32

/* What a look at a name saw. */
struct effect_look {
	uint64_t dev, ino, size;
	int64_t mtime_ns, ctime_ns;
	uint32_t mode, uid, gid; /* mode 0: nothing was there */
};

enum effect_op { EFFECT_NONE, EFFECT_CREATE, EFFECT_MODIFY, EFFECT_DELETE };

struct effect {
	char *path; /* inside, malloc'ed */
	struct effect_look before, after;
	bool recent; /* before: changed so shortly before that its times may not tell */
	bool digested;
	uint8_t digest[EFFECTS_DIGEST]; /* BLAKE2b of the file's content after */
};

struct effects {
	struct effect *v;
	size_t n, cap;
	uint32_t *slots; /* index + 1, by the hash of the path */
	size_t nslots;
	uint64_t lost; /* names that could not be noted or looked at */
	/* the digest of a file's content, 0 or -errno; NULL: none is wanted */
	int (*digest)(int fd, uint8_t ret[EFFECTS_DIGEST]);
};

void effects_release(struct effects *e);
struct effect_look effect_look_of(const struct stat *st);
/*
 * The name is about to be changed.  What is there: `name` in `dir` (no link is followed; "":
 * `dir` itself, O_PATH), nothing if `dir` is -1.  Only the first time counts.
 */
void effects_note(struct effects *e, const char *path, int dir, const char *name);
/* A change that the caller has found itself.  NULL: there is no room for it. */
struct effect *effects_put(struct effects *e, const char *path, const struct effect_look *before,
			   const struct effect_look *after);
/* It cannot be looked at after the run: it is counted as lost. */
void effect_unknown(struct effects *e, struct effect *it);
/* What the change was: of a directory what lies in it does not count. */
enum effect_op effect_op_of(const struct effect *e);
/* Sorts them by path and drops those that are no change; nothing is added after that. */
void effects_settle(struct effects *e);

#endif
