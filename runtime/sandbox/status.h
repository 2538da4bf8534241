/* What the run's processes tell polrun. */
#ifndef RUNTIME_SANDBOX_STATUS_H
#define RUNTIME_SANDBOX_STATUS_H

#include "runtime/sandbox/sandbox.h"

/* Sends one message to polrun.  Works under the command's filter (only write).  0 or
 * -errno. */
int status_send(int sock, enum sandbox_event event, int value, const struct rt_err *err);
/* The same with descriptors: at most GATE_SOCKET_COUNT. */
int status_send_fds(int sock, enum sandbox_event event, int value, const int *fds, size_t n);

#endif
