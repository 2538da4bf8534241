/* Pid 1 of the run: the second stage of the set-up. */
#ifndef RUNTIME_SANDBOX_INIT_H
#define RUNTIME_SANDBOX_INIT_H

#include "runtime/sandbox/sandbox.h"

/* Receives the plan over `sock`, executes it, starts the command, reaps. */
int init_main(int sock);
/* Sends one message to polrun.  Works under the command's filter (only write).  0 or
 * -errno. */
int init_send(int sock, enum sandbox_event event, int value, const struct rt_err *err);

#endif
