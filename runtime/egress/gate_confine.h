/* polgate's own walls, before it reads the first byte of the command or the network. */
#ifndef RUNTIME_EGRESS_GATE_CONFINE_H
#define RUNTIME_EGRESS_GATE_CONFINE_H

#include <stdint.h>

#include "runtime/base/err.h"

/*
 * Gives up everything but its descriptors and new connections over TCP and UDP: all
 * capabilities, files (Landlock, where the kernel has it), and by a filter every call
 * that it does not make.  execve, open, making a process and ptrace end it.  Cannot be
 * undone.
 */
int gate_confine(struct rt_err *err);

/* Sets the limits of memory, files and descriptors; returns how many of the last there
 * are, at most `most`. */
uint32_t gate_limits(uint32_t most);

#endif
