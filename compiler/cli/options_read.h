/* Reads the command line of a verb.  Nothing is opened here. */
#ifndef COMPILER_CLI_OPTIONS_READ_H
#define COMPILER_CLI_OPTIONS_READ_H

#include "compiler/cli/options.h"

/*
 * Reads argv after the verb.  False after a message on `err` (exit 2).  Returns true
 * at once for --help or --version.
 */
bool options_read(struct options *o, struct arena *a, enum cli_verb verb,
		  int argc, char **argv, FILE *err);

#endif
