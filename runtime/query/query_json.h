/* Lines of JSON, one object each, strictly as RFC 8259 has it. */
#ifndef RUNTIME_QUERY_QUERY_JSON_H
#define RUNTIME_QUERY_QUERY_JSON_H

#include <json-c/json.h>

#include "runtime/query/query_text.h"

struct query_json {
	struct json_tokener *tok;
	struct json_object *doc; /* of the last line, or NULL */
	struct query_text text;
};

/* False without memory. */
bool query_json_init(struct query_json *j);
void query_json_release(struct query_json *j);
/*
 * Reads `n` bytes, line[n] being NUL, into j->doc, an object without repeated
 * keys anywhere in it.  False with a message, which names the key where one
 * is at fault.  The line must stay as long as query_json_raw() is asked.
 */
bool query_json_read(struct query_json *j, const char *line, size_t n, struct rt_err *err);
/*
 * The value of a key of the outermost object as it was written, or NULL; also
 * after a line that is JSON and was refused for repeated keys.
 */
const char *query_json_raw(const struct query_json *j, const char *key, size_t *ret_n);

/* The string of that key of an object, which owns it; NULL: it has none there. */
const char *query_json_text(struct json_object *o, const char *key);

#endif
