/* Lines of JSON, one object each, strictly as in RFC 8259. */
#ifndef RUNTIME_QUERY_QUERY_JSON_H
#define RUNTIME_QUERY_QUERY_JSON_H

#include <json-c/json.h>

#include "runtime/query/query_text.h"

struct query_json {
	struct json_tokener *tok;
	struct json_object *doc; /* object of the last line, or NULL */
	struct query_text text;
};

/* False if memory runs out. */
bool query_json_init(struct query_json *j);
void query_json_release(struct query_json *j);
/*
 * Reads `n` bytes (line[n] is NUL) into j->doc, an object without repeated keys at any
 * depth.  False with a message, which names the key if one is to blame.  The line must
 * stay valid as long as query_json_raw() is used.
 */
bool query_json_read(struct query_json *j, const char *line, size_t n, struct rt_err *err);
/*
 * The value of a key of the outermost object, as it was written, or NULL.  Also works
 * for a line that is JSON but was refused for repeated keys.
 */
const char *query_json_raw(const struct query_json *j, const char *key, size_t *ret_n);

/* The string value of that key, owned by the object; NULL if there is no such string. */
const char *query_json_text(struct json_object *o, const char *key);

#endif
