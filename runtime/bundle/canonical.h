/*
 * Walks text that has one layout (manifest.json): each key, bracket and blank is expected at
 * its place, so only values are read.  What is read are views into the text.
 */
#ifndef RUNTIME_BUNDLE_CANONICAL_H
#define RUNTIME_BUNDLE_CANONICAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/base/err.h"

struct canonical {
	const char *p;
	size_t n, at; /* at <= n */
	struct rt_err *err;
};

/* Goes past `text` if it is next. */
bool canonical_take(struct canonical *c, const char *text);
/* The following are 0, or -errno with a message that names the byte. */
int canonical_expect(struct canonical *c, const char *text);
/* Always fails: there is no valid `what` here. */
int canonical_bad(struct canonical *c, const char *what);
/* A decimal number without sign and leading zeros. */
int canonical_number(struct canonical *c, const char *what, uint64_t *ret);
/*
 * A string.  *ret is the text between the quotes with its escapes, which are \" and \\, and
 * \u00xx for a control byte, DEL, or a byte that is not UTF-8; no other byte is escaped.
 */
int canonical_string(struct canonical *c, const char *what, const char **ret,
		     size_t *ret_len);
/*
 * A list with one element per line, each read by `one`, which gets `of`; `depth`: by how many
 * blanks the elements are indented, the bracket behind them by two less.  An empty list is "[]".
 */
int canonical_list(struct canonical *c, int depth, int (*one)(struct canonical *c, void *of),
		   void *of);
/* A string of 64 hexadecimal digits. */
int canonical_digest(struct canonical *c, uint8_t out[32]);

/* Hexadecimal, lower case: 64 digits to 32 bytes and back. */
bool canonical_unhex(const char *hex, uint8_t out[32]);
void canonical_hex(const uint8_t in[32], char out[65]);

#endif
