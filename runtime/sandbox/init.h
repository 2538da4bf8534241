/* Pid 1 of the run, stage 2 of the set-up. */
#ifndef RUNTIME_SANDBOX_INIT_H
#define RUNTIME_SANDBOX_INIT_H

#include "runtime/sandbox/sandbox.h"

/* Receives the plan over `sock`, executes it, starts the command, reaps. */
int init_main(int sock);
/* One message to polrun; safe under the command's filter (write).  0 or -errno. */
int init_send(int sock, enum sandbox_event event, int value, const struct rt_err *err);

#endif
