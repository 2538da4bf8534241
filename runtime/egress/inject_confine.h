/* polinject's own walls, from the moment when it has read everything. */
#ifndef RUNTIME_EGRESS_INJECT_CONFINE_H
#define RUNTIME_EGRESS_INJECT_CONFINE_H

#include "runtime/base/err.h"

/*
 * Not dumpable, no core, no_new_privs, no file of any tree (Landlock, where the kernel
 * has it) and a filter: making a socket or a process, connecting, opening and executing
 * end the process; what it does not need is EPERM.  What is left is to read, write and
 * close the descriptors that it has or is sent.
 */
int inject_confine(struct rt_err *err);

#endif
