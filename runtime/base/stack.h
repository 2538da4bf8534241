/* Checks how much stack the caller's limit leaves to a program. */
#ifndef RUNTIME_BASE_STACK_H
#define RUNTIME_BASE_STACK_H

#include <stddef.h>

/*
 * The most stack that the programs need, in KiB, including the arguments. They keep
 * tables on the stack, as memory may be short, and their readers bound how deep text may
 * nest (shell text 100 deep, regular expressions 250). tests/live/small_stack.sh checks
 * that each program keeps to it.
 */
#define STACK_NEEDED_KIB 512

/*
 * Returns 0 if `ulimit -s` leaves that much, or if the limit is not known. Otherwise the
 * length of a line that says what is missing, with its newline; main() writes it and
 * ends, before it calls anything else. This function itself needs little stack.
 */
size_t stack_complaint(const char *program, char *out, size_t cap);

#endif
