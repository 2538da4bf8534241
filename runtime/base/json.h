/*
 * The JSON writer of all programs; it reads nothing. Keys are NULL inside arrays. The
 * caller balances begin and end. If an allocation fails, the further calls do nothing,
 * and json_finish() returns NULL.
 */
#ifndef RUNTIME_BASE_JSON_H
#define RUNTIME_BASE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum json_layout {
	JSON_INDENTED,
	JSON_TIGHT, /* no white space */
	JSON_SPACED /* on one line, with a blank after each comma and colon */
};

/* How a text is written. Control characters become \u00XX in any case. */
enum json_text {
	JSON_REPLACE, /* a byte that is not UTF-8 becomes U+FFFD */
	JSON_BYTES,   /* it becomes the character with its number */
	JSON_SHORT    /* the same, and newline and tab become \n and \t */
};

struct json {
	char *buf; /* malloc'ed, unless `fixed` */
	size_t len, cap;
	/* instead of buf: takes the output as it comes */
	void (*put)(void *to, const char *s, size_t len);
	void *to;
	bool failed;
	bool fixed;    /* buf is the caller's; len also counts what did not fit */
	bool comma; /* the next member needs a comma before it */
	bool line;  /* and begins on a line of its own */
	bool keyed; /* its key is written */
	/* set after json_init(), kept by json_reset(); what is inside of an object may
	 * have another layout: set it after the begin, and back after the end */
	enum json_layout layout;
	enum json_text text;
	unsigned depth;
};

void json_init(struct json *j);
/* Writes into the caller's memory and allocates nothing. If the text does not fit,
 * json_finish() returns NULL, and buf holds the beginning with a NUL. */
void json_init_fixed(struct json *j, char *buf, size_t cap);
/* Hands the output to `put`, which cannot fail; json_finish() is not for it. */
void json_init_put(struct json *j, void (*put)(void *to, const char *s, size_t len),
		   void *to);
void json_release(struct json *j);
/* Makes it empty again; keeps its memory. */
void json_reset(struct json *j);
void json_object(struct json *j, const char *key);
void json_object_end(struct json *j);
void json_array(struct json *j, const char *key);
void json_array_end(struct json *j);
/* The key of the next member, whose own key is NULL: for keys that may hold a NUL, or
 * have none at their end. */
void json_key(struct json *j, const char *key, size_t len);
/* What comes next, a member or the end, begins on a new line in any layout. */
void json_line(struct json *j);
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
