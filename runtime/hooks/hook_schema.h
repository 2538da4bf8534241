/* Which values an agent takes in its settings, as far as a hook depends on it. */
#ifndef RUNTIME_HOOKS_HOOK_SCHEMA_H
#define RUNTIME_HOOKS_HOOK_SCHEMA_H

#include "runtime/query/hook_agent.h"

struct json_object;

enum hook_field_is { HOOK_FIELD_GOOD, HOOK_FIELD_BAD, HOOK_FIELD_UNKNOWN };

/* A field of a hook: of a type and a value that the agent takes, not so, or unknown. */
enum hook_field_is hook_field(enum hook_agent agent, const char *name,
			      struct json_object *value);
/* Where `hooks` of the settings is not what the agent takes; NULL: nowhere. */
const char *hook_schema_hooks(enum hook_agent agent, struct json_object *doc);
/* A key beside it, of the file with the hook, of which that cannot be told; Claude Code
 * skips all of the file then. */
const char *hook_schema_rest(enum hook_agent agent, struct json_object *doc);

#endif
