/* Names of system calls (x86_64), for messages and questions. */
#ifndef RUNTIME_BASE_SYSNAME_H
#define RUNTIME_BASE_SYSNAME_H

#define SYSNAME_CAP 24

/* The call's name, or "syscall N" written into `buf`. */
const char *sysname(int nr, char buf[SYSNAME_CAP]);
/* The number of the call with this name, or -1. */
int sysname_number(const char *name);

#endif
