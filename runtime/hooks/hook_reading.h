/* A message on its way to requests: its texts, paths and requests. */
#ifndef RUNTIME_HOOKS_HOOK_READING_H
#define RUNTIME_HOOKS_HOOK_READING_H

#include "runtime/hooks/hook_message.h"

struct event;
struct json_object;

struct reading {
	struct hook_message *m;
	const struct event *event;
	struct json_object *doc, *input; /* input: the tool's, an object or NULL */
	char *const *fields;
	const char *cwd;                 /* plain */
	struct rt_err *err;
};

/* Says what is wrong with the field `key`; false. */
bool hook_fail(const struct reading *r, const char *key, const char *what);
bool hook_no_memory(const struct reading *r);
/* A malloc'ed text (NULL: there was no memory) that lives as long as the message. */
char *hook_keep(struct reading *r, char *text);
/* No blank at either end, nor what a reader may take for one: white space of Unicode
 * and of JavaScript's trim(), and what cannot be seen. */
bool hook_is_trimmed(const char *s, size_t n);
/* Absolute and plain: "." and "//" are taken out; a ".." may lead anywhere. NULL with a
 * message. */
const char *hook_plain(struct reading *r, const char *key, const char *path,
		       const char *base);
/* A tool's path.  Some agents take blanks off its ends before they use it: a name
 * that has one there is two names. */
const char *hook_plain_path(struct reading *r, const char *key, const char *path);
/* NULL with a message: it would be one too many, or there is no memory. */
struct query_request *hook_add(struct reading *r, enum query_kind kind);
/* One request for each bit of `ops` (runtime/bundle/format.h). */
bool hook_add_file(struct reading *r, const char *key, const char *path, uint8_t ops);

#endif
