/*
 * Which policies the words of `polc check` name.  Files that state a level, and
 * those that an option or discovery gives one, belong together; several bare
 * files without one are a policy each, with those beside it.
 */
#ifndef COMPILER_CLI_ALONE_H
#define COMPILER_CLI_ALONE_H

#include "compiler/cli/options.h"

struct alone {
	struct options *each; /* as the command line, but for its inputs */
	const char **file;    /* the one that is this policy's own; NULL where n is 1 */
	size_t n;             /* at least 1 */
};

/* *o has passed cli_sources().  A file that was named twice is there once. */
void alone_split(struct alone *ret, const struct options *o, struct arena *a);

#endif
