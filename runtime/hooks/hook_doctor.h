/* polquery doctor [AGENT]: is the hook installed, and does it answer? */
#ifndef RUNTIME_HOOKS_HOOK_DOCTOR_H
#define RUNTIME_HOOKS_HOOK_DOCTOR_H

#include "runtime/query/query_options.h"

/*
 * Reads the settings of the agent, or of all, of this user and in the working
 * directory, and prints what stands there.  A line of which every word is known is run
 * as the agent would, and asked; no other is run (hook_prove.h).  0: each agent asked
 * about (without a name, at least one) has a hook that answers, denies and fails
 * closed; else, and where that cannot be told, 1.
 */
int hook_doctor(const struct query_options *opt);

#endif
