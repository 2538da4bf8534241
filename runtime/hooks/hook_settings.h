/* What a file of an agent's settings in JSON says of hooks; a part of `polquery
 * doctor`. */
#ifndef RUNTIME_HOOKS_HOOK_SETTINGS_H
#define RUNTIME_HOOKS_HOOK_SETTINGS_H

#include "runtime/hooks/hook_look.h"

/*
 * Finds our hook in `text` (`n` bytes and a NUL; changed), and what switches it off.
 * The agents read their settings strictly, and skip a whole file in silence: so does a
 * file that json-c and they might read in two ways (a key twice, a comma too much), and
 * what is no list of hooks, or has a field of which nothing is known, is wrong.
 */
void hook_settings_look(struct hook_look *l, char *text, size_t n);
/* Gemini CLI's trustedFolders.json: in a folder that is not trusted no hook runs. */
void hook_settings_trust(struct hook_look *l, const char *text, size_t n);

#endif
