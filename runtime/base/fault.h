/*
 * Fault injection: in a test build (VARIANT=faults) this comes before each system call of
 * polrun and polinit. Every other build has nothing of it: fault.c is empty, no call is
 * wrapped, the environment is not read.
 *
 * The environment of polrun, and of polinit, which gets it from polrun:
 *
 *   POL_FAULT=ROLE:CALL:N:WHAT[,ROLE:CALL:N:WHAT]…
 *     ROLE  polrun, child (polrun's clone, until it is polinit), owner (holds a
 *           user namespace for an idmapped tree), polinit, command (until it is
 *           the command), loader (until it is polnft), copier (of a stream), asker
 *           (about connections), looker (at the run, for it)
 *     CALL  a name of fault.def
 *     N     the Nth such call of this process; "N+": that and every later one;
 *           "*": all of them; "N/1": not after polrun begins a second time
 *     WHAT  an errno's name: the call fails without being made (close is made);
 *           "short": reads and writes of a regular file move one byte;
 *           "stop": writes a line and waits, for a test that kills the process
 *   POL_FAULT_LOG=1
 *     writes a line to standard error for each call: "@F ROLE CALL N ADDRESS…",
 *     with the addresses of its callers in the program, innermost first.
 *
 * Each injected fault is reported as well: "@I ROLE CALL N WHAT ADDRESS…".
 */
#ifndef RUNTIME_BASE_FAULT_H
#define RUNTIME_BASE_FAULT_H

#ifdef POL_FAULTS
/* Counts the call. Returns the errno with which it must fail, or 0. */
int fault_at(const char *name);
#endif

#endif
