/*
 * Scans one line of JSON before the parser sees it.  Refuses what json-c accepts but
 * RFC 8259 does not, and what json-c would change silently.  Finds the positions of the
 * outermost object's values, and counts the members.
 */
#ifndef RUNTIME_QUERY_QUERY_TEXT_H
#define RUNTIME_QUERY_QUERY_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "runtime/base/err.h"

enum {
	QUERY_MAX_KEYS = 32,       /* keys of the outermost object */
	QUERY_MAX_DEPTH = 16,      /* nesting of objects and lists */
	QUERY_MAX_VALUES = 262144, /* json-c needs about 100 bytes for each */
	QUERY_SHOWN_CAP = 48
};

/* Offsets into the line.  The key has no quotes and is as it was written. */
struct query_member {
	size_t key, key_n;
	size_t value, value_n;
	size_t members; /* number of members of all objects inside the value */
};

struct query_text {
	const char *p;
	struct query_member m[QUERY_MAX_KEYS];
	size_t n;
};

/*
 * False with a message that names the key, if there is one: bytes that are not UTF-8,
 * control bytes, \u0000 (except in a "line"), half a surrogate pair, words and numbers
 * that JSON does not have, or too much of anything.  True does not mean that the line
 * is JSON.
 */
bool query_text_scan(const char *p, size_t n, struct query_text *ret, struct rt_err *err);
/* Writes "'key': ", escaped and cut, or "" if there is no key (-1). */
const char *query_text_key(const struct query_text *t, size_t i, char out[QUERY_SHOWN_CAP]);

#endif
