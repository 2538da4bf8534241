/*
 * Variables of the caller that the policy does not keep, and that a command which failed may have
 * looked for.  That a program asks for a variable leaves no trace.  So those are named whose name
 * stands where the program would have it from: in the command itself, in a file of the project that the
 * command names and the run can read, or in what is known of the program (known_reads.h).
 */
#ifndef RUNTIME_POLRUN_UNKEPT_H
#define RUNTIME_POLRUN_UNKEPT_H

#include <stdio.h>

#include "runtime/entry/entry.h"
#include "runtime/sandbox/sandbox.h"

struct unkept {
	const struct sandbox_run *run; /* its envp is what the command got */
	const struct sandbox_view *view;
	const struct entry *entry;
	int project; /* descriptor of the project's directory; -1: no file is looked into */
	bool guess;  /* also credentials whose name stands nowhere */
};

/* Says it in one line, or nothing.  Works in the confined supervisor.  Names only, no values. */
void unkept_say(FILE *out, const struct unkept *u);

#endif
