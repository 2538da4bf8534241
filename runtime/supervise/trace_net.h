/* The addresses of traced calls: connect, bind, sendto, sendmsg, sendmmsg. */
#ifndef RUNTIME_SUPERVISE_TRACE_NET_H
#define RUNTIME_SUPERVISE_TRACE_NET_H

#include <linux/seccomp.h>

#include "runtime/supervise/judge.h"
#include "runtime/broker/tracee.h"

void trace_net_look(const struct judge *j, struct tracee_paths *p,
		    const struct seccomp_notif *req);

#endif
