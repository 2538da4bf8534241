/*
 * Answers that a person gave for a session: a flat file in the folder of
 * state_dir.h, which no sandbox can write.  A file that is not exactly as this
 * module writes it is not trusted: a message says so, and the policy asks again.
 *
 *   approvals                 0600, the caller's own
 *   approvals.lock            0600, empty
 *
 * The first line of the file is APPROVALS_HEADER.  Each other line is one answer:
 * key, session, seconds since 1970, bundle digest, rule id, what was asked.  The
 * fields are separated by tabs; there are no other control bytes.
 */
#ifndef RUNTIME_APPROVALS_APPROVALS_H
#define RUNTIME_APPROVALS_APPROVALS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/approvals/approval_session.h"
#include "runtime/base/err.h"

#define APPROVALS_HEADER "pol-approvals 1"
#define APPROVALS_KEY 64       /* hex digits */
#define APPROVALS_MAX 512      /* number of answers; the oldest is dropped */
/* How long an answer for --session ID is valid, since nobody reports the end of ID. */
#define APPROVALS_NAMED_SECONDS (24 * 60 * 60)

struct approval {
	char key[APPROVALS_KEY + 1]; /* made by approval_key.h */
	char session[APPROVAL_SESSION];
	int64_t when;
	char digest[65];
	char rule[160], what[400];   /* escaped, for people */
};

struct approvals {
	char shown[200]; /* path of the directory, escaped */
	int dirfd, lock; /* -1: not open */
	struct approval *v;
	size_t n;
};

/* The file's path, in the directory from state_dir_path(). */
void approvals_file(const char *dir, char out[PATH_MAX]);

/*
 * Opens the directory.  -ENOENT: it does not exist (err is untouched).  -EPERM: it is a
 * link, somebody else's, or open to others.  Reads nothing yet.
 */
int approvals_open(const char *dir, struct approvals *ret, struct rt_err *err);
void approvals_release(struct approvals *a);

/*
 * Reads the file.  0, also if it does not exist.  -EPERM: it is a link, not a file,
 * somebody else's, or open to others.  -EBADMSG: it is damaged or has another format.
 * After an error there are no answers.
 */
int approvals_load(struct approvals *a, struct rt_err *err);
/* Is there such an answer, and is it still valid at the time `now`? */
bool approvals_has(const struct approvals *a, const char *key, const char *session,
		   int64_t now);
/* Is the answer valid at `now`, on this machine? */
bool approvals_counts(const struct approval *p, int64_t now);

/*
 * Both read the file again under its lock and replace it at once.  A damaged file is
 * replaced; a file that cannot be trusted (-EPERM) stays.
 */
int approvals_add(struct approvals *a, const struct approval *p, struct rt_err *err);
/* Removes the answers for which `gone` is true; *ret_n is their number. */
int approvals_remove(struct approvals *a,
		     bool (*gone)(const struct approval *p, void *arg), void *arg,
		     size_t *ret_n, struct rt_err *err);

/*
 * Waits until no other polrun of this user asks on the terminal `tty` (its device
 * number, not 0), so that two questions never take the same answer.  Held until
 * release.  0, -EINTR after a signal (see tty.h), or -errno.
 */
int approvals_lock_terminal(struct approvals *a, uint32_t tty, bool (*interrupted)(void),
			    struct rt_err *err);

#endif
