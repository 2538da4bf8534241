/* Variables that decide whose program answers for a hook. */
#ifndef RUNTIME_HOOKS_HOOK_ENV_H
#define RUNTIME_HOOKS_HOOK_ENV_H

#include <stdbool.h>

#include "runtime/hooks/hook_say.h"

/* Somebody else's program is run by it, or another bundle read, or no hook at all. */
bool hook_env_is_grave(const char *name);
/* What of this environment switches the agent's hooks off. */
void hook_env_look(struct hook_look *l);
/* The files `.env` that Gemini CLI reads into its environment, here and above. */
void hook_env_files(struct hook_look *l);

#endif
