/* The addresses of traced calls: connect, bind, sendto, sendmsg, sendmmsg. */
#ifndef RUNTIME_SUPERVISE_TRACE_NET_H
#define RUNTIME_SUPERVISE_TRACE_NET_H

#include "runtime/supervise/trace.h"

void trace_net_look(struct trace *t, const struct seccomp_notif *req);
/* In trace.c: looks at a socket file that the caller connects to or makes. */
void trace_unix_path(struct trace *t, pid_t pid, const char *raw);
void trace_unix_bind(struct trace *t, pid_t pid, const char *raw);

#endif
