/*
 * Answers that a person gave for a session: a flat file in the folder of
 * state_dir.h, which no sandbox can write.  What is not exactly as this module
 * writes it is not believed: it is said, and the policy asks again.
 *
 *   approvals                 0600, the caller's own
 *   approvals.lock            0600, empty
 *
 * The file's first line is APPROVALS_HEADER; each other line is one answer:
 * key, session, seconds since 1970, bundle digest, rule id, what was asked,
 * with a tab between and no other control byte.
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
#define APPROVALS_MAX 512      /* answers; the oldest goes */
/* An answer for --session ID counts this long, since nobody says when ID ends. */
#define APPROVALS_NAMED_SECONDS (24 * 60 * 60)

struct approval {
	char key[APPROVALS_KEY + 1]; /* approval_key.h makes it */
	char session[APPROVAL_SESSION];
	int64_t when;
	char digest[65];
	char rule[160], what[400];   /* escaped: for people */
};

struct approvals {
	char shown[200]; /* the directory, escaped */
	int dirfd, lock; /* -1: not open */
	struct approval *v;
	size_t n;
};

/* The file in the directory that state_dir_path() gave. */
void approvals_file(const char *dir, char out[PATH_MAX]);

/*
 * Opens the directory.  -ENOENT: there is none (err is untouched); -EPERM: it is
 * a link, somebody else's, or open to others.  Nothing is read yet.
 */
int approvals_open(const char *dir, struct approvals *ret, struct rt_err *err);
void approvals_release(struct approvals *a);

/*
 * Reads the file.  0, also where there is none.  -EPERM: it is a link, no file,
 * somebody else's or open to others; -EBADMSG: it is damaged or of another
 * format.  Then there are no answers.
 */
int approvals_load(struct approvals *a, struct rt_err *err);
/* Is the answer there, and does it still count at the time `now`? */
bool approvals_has(const struct approvals *a, const char *key, const char *session,
		   int64_t now);
/* Does it count at `now`, on this machine? */
bool approvals_counts(const struct approval *p, int64_t now);

/*
 * Both read the file anew under its lock, and replace it at once.  One that is
 * damaged is replaced; one that is not to be trusted (-EPERM) stays.
 */
int approvals_add(struct approvals *a, const struct approval *p, struct rt_err *err);
/* Takes away those that `gone` names; *ret_n: how many. */
int approvals_remove(struct approvals *a,
		     bool (*gone)(const struct approval *p, void *arg), void *arg,
		     size_t *ret_n, struct rt_err *err);

/*
 * Waits until no other polrun of this user asks on the terminal `tty` (its
 * device number, not 0): one answer must not be taken by two questions.  Held until
 * release.  0, -EINTR after a signal (see tty.h), -errno.
 */
int approvals_lock_terminal(struct approvals *a, uint32_t tty, bool (*interrupted)(void),
			    struct rt_err *err);

#endif
