/* polquery doctor [AGENT]: checks whether the hook is installed and answers. */
#ifndef RUNTIME_HOOKS_HOOK_DOCTOR_H
#define RUNTIME_HOOKS_HOOK_DOCTOR_H

#include <limits.h>

#include "runtime/query/hook_agent.h"
#include "runtime/query/query_options.h"

/*
 * Reads the settings of the agent, or of all agents, for this user and in the working
 * directory, and prints what it finds.  A command line is run as the agent would run
 * it, and asked, only if every word of it is known (hook_prove.h).  0: each agent that
 * was asked about (without a name: at least one) has a hook that answers, denies and
 * fails closed.  Otherwise, and if this cannot be found out, 1.
 */
int hook_doctor(const struct query_options *opt);

/* The file of this user's settings in which the agent's hooks stand. */
bool hook_settings_file(enum hook_agent agent, char path[PATH_MAX]);

#endif
