/*
 * One line of JSON before the parser sees it: what json-c takes and RFC 8259
 * does not (or what it would change without a word), where the values of the
 * outermost object stand, and how many members there are.
 */
#ifndef RUNTIME_QUERY_QUERY_TEXT_H
#define RUNTIME_QUERY_QUERY_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "runtime/base/err.h"

enum {
	QUERY_MAX_KEYS = 32,       /* of the outermost object */
	QUERY_MAX_DEPTH = 16,      /* objects and lists in each other */
	QUERY_MAX_VALUES = 262144, /* json-c takes about 100 bytes for each */
	QUERY_SHOWN_CAP = 48
};

/* Offsets into the line; a key is without its quotes, and as it was written. */
struct query_member {
	size_t key, key_n;
	size_t value, value_n;
	size_t members; /* of all objects inside the value */
};

struct query_text {
	const char *p;
	struct query_member m[QUERY_MAX_KEYS];
	size_t n;
};

/*
 * False with a message that names the key, where there is one: bytes that are
 * not UTF-8, control bytes, \u0000 (but in a "line"), half a surrogate pair, other words and
 * numbers than JSON has, too much of it.  True does not say that it is JSON.
 */
bool query_text_scan(const char *p, size_t n, struct query_text *ret, struct rt_err *err);
/* "'key': ", escaped and cut, or "" for a key that is not there (-1). */
const char *query_text_key(const struct query_text *t, size_t i, char out[QUERY_SHOWN_CAP]);

#endif
