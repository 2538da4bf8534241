/*
 * What a command's programs do through somebody outside of the sandbox: with another user's rights
 * (sudo), or by asking a service at its socket (docker, systemctl).  Such a program fails inside in words
 * of its own, and no call of it is denied: the kernel gives no rights, and the socket is not there.
 */
#ifndef RUNTIME_POLRUN_OUTSIDE_H
#define RUNTIME_POLRUN_OUTSIDE_H

#include <stdio.h>

#include "runtime/entry/entry.h"
#include "runtime/sandbox/sandbox.h"

/* After the end of a run that failed: a line for each program of the command that is one of these, the
 * first few.  Opens nothing. */
void outside_say(FILE *out, const struct sandbox_run *run, const struct entry *entry);

#endif
