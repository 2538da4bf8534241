/* Variables that decide whose program answers for a hook. */
#ifndef RUNTIME_HOOKS_HOOK_ENV_H
#define RUNTIME_HOOKS_HOOK_ENV_H

#include <stdbool.h>

#include "runtime/hooks/hook_say.h"

/* True if the variable can make another program run, another bundle be read, or the
 * hook not run at all. */
bool hook_env_is_grave(const char *name);
/* Reports what in this environment switches the agent's hooks off. */
void hook_env_look(struct hook_look *l);
/* Looks at the files `.env`, here and above, that Gemini CLI reads into its
 * environment. */
void hook_env_files(struct hook_look *l);

#endif
