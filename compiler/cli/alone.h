/*
 * Which policies the operands of `polc check` name.  Files that state a level, and
 * files to which an option or discovery gives a level, belong together.  If several
 * files have no level, each of them is a policy, together with the files above.
 */
#ifndef COMPILER_CLI_ALONE_H
#define COMPILER_CLI_ALONE_H

#include "compiler/cli/options.h"

struct alone {
	struct options *each; /* the command line, with other inputs */
	const char **file;    /* the file that only this policy has; NULL if n is 1 */
	size_t n;             /* at least 1 */
};

/* *o has passed cli_sources().  A file that was named twice is taken once. */
void alone_split(struct alone *ret, const struct options *o, struct arena *a);

#endif
