/* Names of system calls, for messages only. */
#ifndef RUNTIME_SUPERVISE_SYSNAME_H
#define RUNTIME_SUPERVISE_SYSNAME_H

#define SYSNAME_CAP 24

/* The call's name, or "syscall N" written into `buf`. */
const char *sysname(int nr, char buf[SYSNAME_CAP]);

#endif
