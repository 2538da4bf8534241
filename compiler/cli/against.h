/* `polc check --against CEILING`: is anything allowed that the ceiling does not allow? */
#ifndef COMPILER_CLI_AGAINST_H
#define COMPILER_CLI_AGAINST_H

#include "compiler/cli/cli.h"

/*
 * Compares the policy of *policy, which has passed cli_sources() and has no errors, with
 * o->against, and prints the result; for JSON it is appended to `json` instead, as one
 * object with the name `file`.  0, 1 (something is beyond), 5 (undecided), or the
 * trouble of reading the ceiling after messages.
 */
enum cli_exit against_run(const struct options *o, const struct options *policy,
			  const char *file, struct arena *a, struct buf *json);

#endif
