/*
 * Takes out of a command what looks like a secret, before the command is written to a
 * file.  It is a guess: by names under which people keep what nobody else may read, and by
 * the beginnings of well-known tokens.
 */
#ifndef RUNTIME_TRAFFIC_REDACT_H
#define RUNTIME_TRAFFIC_REDACT_H

#include <stdbool.h>
#include <stddef.h>

/* A word without any meaning to a shell, so that the line is read as before. */
#define REDACTED "REDACTED"
/* How many bytes a text of n bytes may become. */
#define REDACT_ROOM(n) (9 * (n) + sizeof(REDACTED))

struct redact {
	/* the last word of an argv says that the next one is a secret, or USER:SECRET */
	bool next, next_user;
	unsigned count; /* what was replaced */
};

/*
 * Copies n bytes to `out`, which has REDACT_ROOM(n) bytes, and returns how many there are.
 * `word`: the text is one word of an argv, which may belong to the one before it; *r goes
 * from word to word.  For a shell line *r is zero.
 */
size_t redact_text(struct redact *r, const char *s, size_t n, bool word, char *out);

#endif
