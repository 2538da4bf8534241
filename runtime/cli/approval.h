/*
 * What one remembered answer covers, and for which session.
 *
 * An answer is to one question about one line: the key is the BLAKE2b-256 of
 * the bundle's digest, the deciding rule's id, the session, the whole line, the
 * part of it that asks, the working directory, the roots and PATH.  Two lines
 * are the same where their bytes are or where both are one plain command
 * (words, quotes and blanks only) with the same words.  So nothing that feeds,
 * follows or replaces the command can change under an answer: not a pipe, a
 * here-document, an assignment, another directory.
 */
#ifndef RUNTIME_CLI_APPROVAL_H
#define RUNTIME_CLI_APPROVAL_H

#include "runtime/cli/approvals.h"
#include "runtime/entry/entry.h"

/*
 * The session: --session ID is "id:ID"; without one the terminal's, of getsid()
 * and the time when that process started, so that a number used again is
 * another session.  False: there is none (no --session, and the leader of the
 * session is gone or not to be seen).
 */
bool approval_session(const char *id, char out[APPROVALS_SESSION]);
/* Is it an ID that --session takes: 1 to 128 of [A-Za-z0-9._:@-]? */
bool approval_session_id(const char *id);
bool approval_session_is(const char *session);    /* has it the form of a session? */
bool approval_session_named(const char *session); /* of --session */
bool approval_session_lives(const char *session); /* its leader is there still */

#define APPROVAL_LINE 32

/* What all keys of a line have in common, once: a line may be long and have many
 * parts.  `path` is the caller's PATH, or NULL. */
void approval_line(const struct decide_ctx *ctx, const struct entry *e,
		   const char *session, const char *path,
		   unsigned char ret[APPROVAL_LINE]);
void approval_key(const struct bundle *b, const unsigned char line[APPROVAL_LINE],
		  const struct cmd_part *p, char ret[APPROVALS_KEY + 1]);

#endif
