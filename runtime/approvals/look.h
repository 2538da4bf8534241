/*
 * Looks at a run's processes for the process that asks, and stops them while it asks.
 * Both need all of /proc, and the texts there are the run's.  So a process of its own does
 * it, which can open nothing for writing and send no other signal; and the one that has the
 * terminal and writes answers down has no other file than these (ask_confine.h).
 *
 * If the asking process ends, whatever is stopped goes on.
 */
#ifndef RUNTIME_APPROVALS_LOOK_H
#define RUNTIME_APPROVALS_LOOK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Starts it, and closes `close_fd` in it.  Returns its socket, or -errno. */
int look_start(int close_fd);

/* As caller_find(); an empty text if it has ended. */
void look_caller(int sock, pid_t init, uint16_t source, uint16_t port, char *out, size_t cap);
/* As pause_owns_group(); false if it has ended. */
bool look_owns_group(int sock, pid_t init, pid_t pgrp);
/* As pause_begin().  False also if it has ended: nobody may be asked. */
bool look_stop(int sock, pid_t init);
/* As pause_stands(); false if it has ended. */
bool look_stands(int sock);
/* As pause_end(); false also if it has ended, so that the run stays stopped. */
bool look_go_on(int sock);

#endif
