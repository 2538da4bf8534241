/* Does Claude Code ask a person in its mode "auto" if the hook says so? */
#ifndef RUNTIME_HOOKS_HOOK_AUTO_H
#define RUNTIME_HOOKS_HOOK_AUTO_H

#include <stdbool.h>

/*
 * Seen in 2.1.331 and 2.1.332 (2.1.197 runs the tool).  The client tells its version in the hook's environment, where
 * settings of a project may put another: then it does not count.
 */
bool hook_auto_asks(void);

#endif
