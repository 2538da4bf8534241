/*
 * What one remembered answer covers.  An answer is for one question about one line.
 * The key is the BLAKE2b-256 of the bundle's digest, the deciding rule's id, the
 * session, the whole line, the part of the line that asks, the working directory, the
 * roots and PATH.  Two lines are the same if their bytes are the same, or if both are
 * one plain command (words, quotes and blanks only) with the same words.  So whatever
 * feeds, follows or replaces the command (a pipe, a here-document, an assignment,
 * another directory) needs an answer of its own.
 */
#ifndef RUNTIME_APPROVALS_APPROVAL_KEY_H
#define RUNTIME_APPROVALS_APPROVAL_KEY_H

#include "runtime/approvals/approvals.h"
#include "runtime/entry/entry.h"

#define APPROVAL_LINE 32

/* Computes once what all keys of a line have in common, since a line may be long and
 * have many parts.  `path` is the caller's PATH, or NULL. */
void approval_line(const struct decide_ctx *ctx, const struct entry *e,
		   const char *session, const char *path,
		   unsigned char ret[APPROVAL_LINE]);
void approval_key(const struct bundle *b, const unsigned char line[APPROVAL_LINE],
		  const struct cmd_part *p, char ret[APPROVALS_KEY + 1]);

/* Fills in an answer that is given now, all but `what`. */
void approval_make(const struct bundle *b, uint32_t rule, const char key[APPROVALS_KEY + 1],
		   const char session[APPROVAL_SESSION], struct approval *ret);

#endif
