/*
 * Faults on demand: what a test build (VARIANT=faults) puts before each system
 * call of polrun and polinit.  In every other build this folder has nothing of
 * it: fault.c is empty, no call is wrapped, the environment is not read.
 *
 * The environment of polrun, and of polinit, which gets it from polrun:
 *
 *   POL_FAULT=ROLE:CALL:N:WHAT[,ROLE:CALL:N:WHAT]…
 *     ROLE  polrun, child (polrun's clone, until it is polinit), owner (holds a
 *           user namespace for an idmapped tree), polinit, command (until it is
 *           the command), loader (until it is polnft), copier (a stream's)
 *     CALL  a name of fault.def
 *     N     the Nth such call of this process, "N+" also every later one, "*"
 *           all of them; "N/1" not where polrun begins a second time
 *     WHAT  an errno's name: the call is not made and fails (close is made);
 *           "short": reads and writes of a regular file move one byte;
 *           "stop": says so and waits, for a test that kills the process
 *   POL_FAULT_LOG=1
 *     a line to standard error for each call: "@F ROLE CALL N ADDRESS…", the
 *     addresses of its callers in the program, innermost first.
 *
 * What was done is said too: "@I ROLE CALL N WHAT ADDRESS…".
 */
#ifndef RUNTIME_BASE_FAULT_H
#define RUNTIME_BASE_FAULT_H

#ifdef POL_FAULTS
/* The errno to fail with, or 0; counts the call. */
int fault_at(const char *name);
#endif

#endif
