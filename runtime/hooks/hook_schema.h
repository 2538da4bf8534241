/* Which values an agent accepts in its settings, as far as a hook depends on them. */
#ifndef RUNTIME_HOOKS_HOOK_SCHEMA_H
#define RUNTIME_HOOKS_HOOK_SCHEMA_H

#include <stdbool.h>

#include "runtime/query/hook_agent.h"

struct json_object;

enum hook_field_is { HOOK_FIELD_GOOD, HOOK_FIELD_BAD, HOOK_FIELD_UNKNOWN };

/* Checks a field of a hook: the agent accepts its type and value, does not accept them,
 * or we do not know the field. */
enum hook_field_is hook_field(enum hook_agent agent, const char *name,
			      struct json_object *value);
/* Do the hooks of an event stand there without groups?  (Copilot CLI takes groups as well.) */
bool hook_schema_is_flat(enum hook_agent agent);
/* Finds where `hooks` in the settings is not what the agent accepts; NULL: nowhere. */
const char *hook_schema_hooks(enum hook_agent agent, struct json_object *doc);
/* Finds a key beside `hooks`, in the same file, of which we do not know whether the
 * agent accepts it.  If it does not, Claude Code skips the whole file. */
const char *hook_schema_rest(enum hook_agent agent, struct json_object *doc);

#endif
