/* What the kernel opens besides a program when it starts it. */
#ifndef RUNTIME_BROKER_PROGRAM_HEAD_H
#define RUNTIME_BROKER_PROGRAM_HEAD_H

#include <stddef.h>

#define PROGRAM_HEAD_PATH 4096

/*
 * The interpreter of a script (#!), or the dynamic linker of a program (PT_INTERP of a 64-bit
 * ELF file), as the file `fd` names it: an absolute path, or "" if there is none, if it is a
 * relative one, or if the file is of another kind.  What the kernel makes of the rest of the file
 * is not looked at.
 */
void program_head(int fd, char ret[PROGRAM_HEAD_PATH]);

#endif
