/* Has what was written to a TCP socket arrived?  A reset drops what the kernel has not
 * delivered yet, so who resets a connection behind bytes that count asks first. */
#ifndef RUNTIME_EGRESS_DELIVERED_H
#define RUNTIME_EGRESS_DELIVERED_H

#include <stdbool.h>

/* True also if it never will: the other end has reset it, or it is no TCP socket. */
bool is_delivered(int fd);
/* Has the other end reset the connection?  One that has only closed its side may still read. */
bool is_broken_off(int fd);

#endif
