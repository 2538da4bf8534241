/* Which program of a run makes a connection: for the person who is asked. */
#ifndef RUNTIME_APPROVALS_CALLER_H
#define RUNTIME_APPROVALS_CALLER_H

#include <stdint.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * Writes "node (npm ci), pid 1234" about the process that has the TCP socket with these
 * two ports, its own and its destination's, in the network of the run whose pid 1 is
 * `init`; the text is not escaped.  Empty if it is not found: it may have ended, or closed
 * the socket, or several sockets have these ports.
 */
void caller_find(pid_t init, uint16_t source, uint16_t port, char *out, size_t cap);

#endif
