/*
 * A JSON writer into memory: nothing is read.  Keys are NULL inside arrays.
 * Indented, or with `one_line` without any white space.
 * The caller balances begin and end; a failed allocation makes json_finish()
 * return NULL, and everything in between is a no-op.
 */
#ifndef RUNTIME_BASE_JSON_H
#define RUNTIME_BASE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json {
	char *buf; /* malloc'ed, but where `fixed` */
	size_t len, cap;
	bool failed;
	bool fixed;    /* buf is the caller's, and len counts what did not fit, too */
	bool comma; /* something stands before the next member */
	bool one_line; /* set after json_init(); json_reset() keeps it */
	unsigned depth;
};

void json_init(struct json *j);
/* Into memory of the caller's, in which no allocation is made: past its end
 * json_finish() returns NULL, and buf has the beginning with a NUL. */
void json_init_fixed(struct json *j, char *buf, size_t cap);
void json_release(struct json *j);
/* Empty again, with the memory that it has. */
void json_reset(struct json *j);
void json_object(struct json *j, const char *key);
void json_object_end(struct json *j);
void json_array(struct json *j, const char *key);
void json_array_end(struct json *j);
/* Bytes that are not UTF-8 become U+FFFD. */
void json_str(struct json *j, const char *key, const char *s, size_t len);
void json_cstr(struct json *j, const char *key, const char *s); /* NULL: null */
void json_int(struct json *j, const char *key, int64_t v);
void json_uint(struct json *j, const char *key, uint64_t v);
void json_bool(struct json *j, const char *key, bool v);
void json_null(struct json *j, const char *key);
/* `len` bytes that are JSON already. */
void json_raw(struct json *j, const char *key, const char *s, size_t len);
/* The text with a newline at its end, or NULL; it stays owned by `j`.  *ret_len is
 * set where it is NULL for want of the caller's room, too. */
const char *json_finish(struct json *j, size_t *ret_len);

#endif
