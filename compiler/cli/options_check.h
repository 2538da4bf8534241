/* The second half of reading the command line. */
#ifndef COMPILER_CLI_OPTIONS_CHECK_H
#define COMPILER_CLI_OPTIONS_CHECK_H

#include "compiler/cli/options.h"

/* Does the verb take a bundle, under any name? */
bool options_wants_bundle(enum cli_verb v);
/* Is everything there that the verb needs?  False after a message. */
bool options_check(const struct options *o, FILE *err);

#endif
