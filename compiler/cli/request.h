/* REQUEST of the command line: the words after the policy in `explain`. */
#ifndef COMPILER_CLI_REQUEST_H
#define COMPILER_CLI_REQUEST_H

#include "compiler/cli/options.h"
#include "compiler/cli/roots.h"

/* Fills in every field; roots and cwd come from the caller.  False after a message. */
bool request_read(const struct options *o, const struct roots *roots,
		  struct arena *a, struct ir_request *ret, const char **ret_why,
		  FILE *err);

#endif
