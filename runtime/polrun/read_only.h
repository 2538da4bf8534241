/*
 * Trees that the rules let a run write, and that are read-only all the same, because a
 * name that a rule protects does not exist, or can be replaced by the run.  It is a fact
 * of this run and not of the bundle: check and compile cannot say it.
 */
#ifndef RUNTIME_POLRUN_READ_ONLY_H
#define RUNTIME_POLRUN_READ_ONLY_H

#include <stdio.h>

#include "runtime/base/json.h"
#include "runtime/sandbox/sandbox.h"

/* One line for each such tree: what made it read-only, and what to do about it. */
void read_only_say(FILE *out, const struct sandbox_run *run, const struct sandbox_view *v);
/* For --plan: ": NAME is absent", or nothing for a wildcard. */
void read_only_why(FILE *out, const struct sandbox_run *run, const struct sandbox_node *n);
/* For the report: the list `read_only`, empty if `v` is NULL. */
void read_only_list(struct json *j, const struct sandbox_run *run, const struct sandbox_view *v);

#endif
