/* What a JSON file of an agent's settings says about hooks; a part of `polquery
 * doctor`. */
#ifndef RUNTIME_HOOKS_HOOK_SETTINGS_H
#define RUNTIME_HOOKS_HOOK_SETTINGS_H

#include "runtime/base/err.h"
#include "runtime/hooks/hook_look.h"

/*
 * Finds our hook in `text` (`n` bytes and a NUL; changed), and what switches it off.
 * The agents read their settings strictly and silently skip a whole file.  So it is
 * wrong if json-c and the agent might read a file differently (a repeated key, an extra
 * comma), or if it has a list of hooks that is not one, or an unknown field.
 */
void hook_settings_look(struct hook_look *l, char *text, size_t n);
struct query_json;
struct json_object;
/* The object that `text` (`n` bytes and a NUL) holds, which belongs to `j`; NULL with the
 * reason.  Release `j` in either case. */
struct json_object *hook_settings_read(struct query_json *j, const char *text, size_t n,
				       struct rt_err *err);
/* Gemini CLI's trustedFolders.json: no hook runs in a folder that is not trusted. */
void hook_settings_trust(struct hook_look *l, const char *text, size_t n);

#endif
