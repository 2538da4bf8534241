/* What the values of a message name: files of lists and patterns, hosts of addresses,
 * files of a patch. */
#ifndef RUNTIME_HOOKS_HOOK_NAMED_H
#define RUNTIME_HOOKS_HOOK_NAMED_H

#include "runtime/hooks/hook_reading.h"

struct hook_tool;

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

/* One address; in a text of more words (`words`) it ends at a blank. */
bool hook_add_url(struct reading *r, const char *key, const char *s, bool words);
/* Every address in a text for people; a text without one fetches nothing known. */
bool hook_add_urls(struct reading *r, const char *key, const char *text);
/* The files of one of Codex's patches. */
bool hook_add_patch(struct reading *r, const char *text);

#endif
