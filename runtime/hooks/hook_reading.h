/* A message while it is being turned into requests: its texts, paths and requests. */
#ifndef RUNTIME_HOOKS_HOOK_READING_H
#define RUNTIME_HOOKS_HOOK_READING_H

#include "runtime/hooks/hook_message.h"

struct event;
struct json_object;

struct reading {
	struct hook_message *m;
	const struct event *event;
	struct json_object *doc, *input; /* input: the tool's input, an object or NULL */
	const char *tool;                /* static: its name, once the tool is known */
	char *const *fields;
	const char *cwd;                 /* plain path */
	struct rt_err *err;
};

/* Sets the message about what is wrong with the field `key`; returns false. */
bool hook_fail(const struct reading *r, const char *key, const char *what);
bool hook_no_memory(const struct reading *r);
/* Takes a malloc'ed text (NULL: there was no memory), which then lives as long as the
 * message. */
char *hook_keep(struct reading *r, char *text);
/* True if neither end has a blank or anything that a reader may take for one: Unicode
 * white space, what JavaScript's trim() removes, and invisible characters. */
bool hook_is_trimmed(const char *s, size_t n);
/* Makes the path absolute and plain: removes "." and "//".  A ".." may lead anywhere,
 * so it is an error.  NULL with a message. */
const char *hook_plain(struct reading *r, const char *key, const char *path,
		       const char *base);
/* The same for a tool's path.  Some agents remove blanks from its ends before they use
 * it, so a path with such a blank could mean two files and is refused. */
const char *hook_plain_path(struct reading *r, const char *key, const char *path);
/* Adds a request.  NULL with a message if there are too many, or no memory. */
struct query_request *hook_add(struct reading *r, enum query_kind kind);
/* Adds one request for each bit of `ops` (runtime/bundle/format.h). */
bool hook_add_file(struct reading *r, const char *key, const char *path, uint8_t ops);

#endif
