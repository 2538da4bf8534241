/* What the values of a message name: files in lists and patterns, hosts of addresses,
 * files of a patch. */
#ifndef RUNTIME_HOOKS_HOOK_NAMED_H
#define RUNTIME_HOOKS_HOOK_NAMED_H

#include "runtime/hooks/hook_reading.h"

struct hook_tool;

/* Is `word` one of the words of the list? */
bool hook_in_list(const char *list, const char *word);
/* Checks that each pattern in the tool's fields matches only below its directory. */
bool hook_check_globs(struct reading *r, const struct hook_tool *t);
/* The fields in `keys` hold a path or a list of paths, which are read. */
bool hook_add_reads(struct reading *r, const char *keys);
/* The same; one of the fields must exist. */
bool hook_add_files(struct reading *r, const char *keys);
/* The same for fields whose files may be read and written.  They may be missing. */
bool hook_add_any_files(struct reading *r, const char *keys);
/* Adds files that are published on a page of the agent's vendor. */
bool hook_add_published(struct reading *r, const struct hook_tool *t);
/* Adds a file that is edited.  If the file does not exist below the working directory,
 * the agent may take one elsewhere whose path ends in the same way; so that is
 * refused. */
bool hook_add_sought(struct reading *r, const char *key, const char *path);

/* An address alone; one in a text of several words, which ends at a blank; or that of a
 * web socket. */
enum hook_url { HOOK_URL_ALONE, HOOK_URL_WORDS, HOOK_URL_SOCKET };
bool hook_add_url(struct reading *r, const char *key, const char *s, enum hook_url form);
/* Adds every address in a text for people.  A text without addresses fetches nothing
 * that we know of. */
bool hook_add_urls(struct reading *r, const char *key, const char *text);
/* Adds the files of one of Codex's patches. */
bool hook_add_patch(struct reading *r, const char *text);
/*
 * The patch of a line "apply_patch <<'WORD'", with the patch and WORD on lines of their own behind it and nothing else;
 * malloc'ed.  NULL: it is another line.  No shell would change any byte of such a patch.
 */
char *hook_patch_of_line(const char *line);

#endif
