/* polquery install AGENT, polquery uninstall AGENT. */
#ifndef RUNTIME_HOOKS_HOOK_INSTALL_H
#define RUNTIME_HOOKS_HOOK_INSTALL_H

#include "runtime/query/query_options.h"

/*
 * Shows how the user's settings of the agent would change, asks at the terminal (unless
 * opt->yes), and changes them.  A file that cannot be read as its agent reads it, or that
 * holds something else where hooks stand, is refused.  Then the doctor looks at the result.
 * Returns the exit status: 0 done, or there was nothing to do; 1 not changed, or the doctor
 * is not content; 2 trouble.
 */
int hook_install(const struct query_options *opt);

#endif
