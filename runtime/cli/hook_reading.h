/* A message on its way to requests: what hook_message.c and hook_named.c share. */
#ifndef RUNTIME_CLI_HOOK_READING_H
#define RUNTIME_CLI_HOOK_READING_H

#include "runtime/cli/hook_message.h"

struct event;
struct hook_tool;
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
/* A malloc'ed text (NULL: there was no memory) that lives as long as the message. */
char *hook_keep(struct reading *r, char *text);
/* NULL with a message: it would be one too many, or there is no memory. */
struct query_request *hook_add(struct reading *r, enum query_kind kind);
/* One request for each bit of `ops` (runtime/bundle/format.h). */
bool hook_add_file(struct reading *r, const char *key, const char *path, uint8_t ops);

/* Is it a word of the list? */
bool hook_in_list(const char *list, const char *word);
/* Each pattern among the tool's fields matches below its directory only. */
bool hook_check_globs(struct reading *r, const struct hook_tool *t);
/* The fields that stand in `keys` hold a path or a list of them, which are read; one of
 * them is there. */
bool hook_add_files(struct reading *r, const char *keys);
/* The same of what may be read and written, where it is there. */
bool hook_add_any_files(struct reading *r, const char *keys);
/* Files that are put on a page of the agent's vendor. */
bool hook_add_published(struct reading *r, const struct hook_tool *t);
/* A file that is edited; where it is not below the working directory, the agent takes
 * one that is elsewhere and whose path ends so, which is refused. */
bool hook_add_sought(struct reading *r, const char *key, const char *path);
/* No blank at either end, nor what a reader may take for one: white space of Unicode
 * and of JavaScript's trim(), and what cannot be seen. */
bool hook_is_trimmed(const char *s, size_t n);

/* One address; in a text of more words (`words`) it ends at a blank. */
bool hook_add_url(struct reading *r, const char *key, const char *s, bool words);
/* Every address in a text for people; a text without one fetches nothing known. */
bool hook_add_urls(struct reading *r, const char *key, const char *text);
/* The files of one of Codex's patches. */
bool hook_add_patch(struct reading *r, const char *text);

#endif
