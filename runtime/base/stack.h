/* The stack that the caller's limit leaves to a program. */
#ifndef RUNTIME_BASE_STACK_H
#define RUNTIME_BASE_STACK_H

#include <stddef.h>

/*
 * What the programs need at most, in KiB, with arguments: tables on the stack in
 * place of memory that may be missing, and nesting that the readers bound
 * (shell text 100 deep, regular expressions 250).  tests/live/small_stack.sh holds
 * each of them to it.
 */
#define STACK_NEEDED_KIB 512

/*
 * 0 where `ulimit -s` leaves as much, or where nobody says.  Otherwise the length
 * of the line that says what is missing, with its newline; main() writes it
 * and ends, before it calls anything else.  Needs little stack itself.
 */
size_t stack_complaint(const char *program, char *out, size_t cap);

#endif
