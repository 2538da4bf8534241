/*
 * Why a command may have failed, beside what the kernel refused it and somebody saw: words
 * of the command that name what exists outside of the sandbox and not inside, or a link that leads
 * there; settings in HOME and variables that its programs are known to read; programs of
 * a project that may not be executed, and names that rules keep from the run.  Recording
 * every file that a command asks for costs time (--explain-denials); this costs nothing
 * while the command runs.
 */
#ifndef RUNTIME_POLRUN_BLAME_H
#define RUNTIME_POLRUN_BLAME_H

#include <stdio.h>

#include "runtime/entry/entry.h"
#include "runtime/sandbox/sandbox.h"

struct blame {
	const struct sandbox_run *run;
	const struct sandbox_view *view;
	const struct entry *entry;
	int exit_code; /* the command's own, not 0; -1 if a signal ended it */
	bool verbose;  /* with the rule that would let it pass */
	bool terminal; /* a person reads it */
	bool offline;  /* it asked for a network that is off */
	bool recorded; /* files were recorded: nothing needs to be guessed */
	int project;   /* descriptor of its directory, or -1 */
};

/* Call it after the end of the run.  Opens nothing but files of the project. */
void blame_say(FILE *out, const struct blame *b);

#endif
