/*
 * Programs in trees in which they are started by name.  The kernel itself opens a program for
 * reading when it starts it, and nobody can do that in its place.  So where a rule with a
 * wildcard takes reading or executing away, Landlock lets the run open none of the files there
 * but those that it is told when the run begins: the command, the dynamic linker, and the programs
 * in the directories of PATH, as far as the rules let them be read and executed.  All others
 * are started from copies (runtime/supervise/copies.h).
 *
 * Landlock knows a file and not its name: such a program stays open to the run if somebody
 * outside gives it a denied name.
 */
#ifndef RUNTIME_SANDBOX_PLAN_PROGRAMS_H
#define RUNTIME_SANDBOX_PLAN_PROGRAMS_H

#include <stddef.h>

#include "runtime/sandbox/sandbox.h"

struct plan_programs {
	char *names; /* paths inside, one after the other, each with its NUL; malloc'ed */
	size_t len;
	struct sandbox_programs ids;
};

/* None if the view has no such tree.  0 or -ENOMEM; plan_programs_release() is safe after both. */
int plan_programs(const struct sandbox_run *run, const struct sandbox_view *v,
		  struct plan_programs *ret);
void plan_programs_release(struct plan_programs *p);

#endif
