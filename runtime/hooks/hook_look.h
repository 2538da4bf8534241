/* One command in an agent's settings: is it our hook, does it answer, does it fail
 * closed?  Parts of `polquery doctor`; a line that is not known word by word is not
 * run (hook_prove.h). */
#ifndef RUNTIME_HOOKS_HOOK_LOOK_H
#define RUNTIME_HOOKS_HOOK_LOOK_H

#include "runtime/hooks/hook_found.h"
#include "runtime/hooks/hook_say.h"

/* Clears l->good where `h` is our hook and would not deny as it should; another
 * agent's or program's command is passed over. */
void hook_look_at(struct hook_look *l, const struct hook_found *h);

#endif
