/* Checks one command in an agent's settings: is it our hook, does it answer, does it
 * fail closed?  A part of `polquery doctor`.  A line is not run unless every word of it
 * is known (hook_prove.h). */
#ifndef RUNTIME_HOOKS_HOOK_LOOK_H
#define RUNTIME_HOOKS_HOOK_LOOK_H

#include "runtime/hooks/hook_found.h"
#include "runtime/hooks/hook_say.h"

/* Clears l->good if `h` is our hook and would not deny as it should.  Skips commands of
 * other agents or programs. */
void hook_look_at(struct hook_look *l, const struct hook_found *h);

#endif
