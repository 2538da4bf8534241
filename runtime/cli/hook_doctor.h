/* polquery doctor [AGENT]: is the hook installed, and does it answer? */
#ifndef RUNTIME_CLI_HOOK_DOCTOR_H
#define RUNTIME_CLI_HOOK_DOCTOR_H

#include "runtime/cli/query_options.h"

/*
 * Reads the settings of the agent, or of all, of this user and in the working
 * directory, and prints what stands there.  Nothing of them is run: the bundle that
 * a command names is asked here.  0: each agent asked about (without a name, at
 * least one) has a hook that answers and fails closed; else 1.
 */
int hook_doctor(const struct query_options *opt);

#endif
