/*
 * The programs in trees in which they are started by name.  The kernel itself opens a program
 * for reading when it starts it, and nobody can do that in its place.  So where a rule with a
 * wildcard takes reading or executing away, Landlock lets the run open those files only that
 * can be executed when it begins, and that the rules let be read and executed.  What is put
 * there later cannot be started.
 *
 * Landlock knows a file and not its name: such a file stays open to the run if somebody
 * outside gives it a denied name.
 */
#ifndef RUNTIME_SANDBOX_PLAN_PROGRAMS_H
#define RUNTIME_SANDBOX_PLAN_PROGRAMS_H

#include <stddef.h>

#include "runtime/decide/decide.h"
#include "runtime/sandbox/sandbox_view.h"

/*
 * Their paths inside, one after the other, each with its NUL: *ret_names is malloc'ed, or NULL
 * if there are none.  Looks at every name below, on the file system of the tree; -E2BIG if
 * there are too many, -ENOMEM.
 */
int plan_programs(const struct decide_ctx *ctx, const struct sandbox_view *v, char **ret_names,
		  size_t *ret_len);

#endif
