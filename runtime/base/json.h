/*
 * A JSON writer into memory; it reads nothing. Keys are NULL inside arrays. The output is
 * indented, or with `one_line` has no white space. The caller balances begin and end. If
 * an allocation fails, the further calls do nothing, and json_finish() returns NULL.
 */
#ifndef RUNTIME_BASE_JSON_H
#define RUNTIME_BASE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json {
	char *buf; /* malloc'ed, unless `fixed` */
	size_t len, cap;
	bool failed;
	bool fixed;    /* buf is the caller's; len also counts what did not fit */
	bool comma; /* the next member needs a comma before it */
	bool one_line; /* set after json_init(); json_reset() keeps it */
	unsigned depth;
};

void json_init(struct json *j);
/* Writes into the caller's memory and allocates nothing. If the text does not fit,
 * json_finish() returns NULL, and buf holds the beginning with a NUL. */
void json_init_fixed(struct json *j, char *buf, size_t cap);
void json_release(struct json *j);
/* Makes it empty again; keeps its memory. */
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
/* The text with a newline at its end, or NULL; `j` owns it. *ret_len is also set if the
 * text did not fit into the caller's memory. */
const char *json_finish(struct json *j, size_t *ret_len);

#endif
