/* The second half of reading the command line. */
#ifndef COMPILER_CLI_OPTIONS_CHECK_H
#define COMPILER_CLI_OPTIONS_CHECK_H

#include "compiler/cli/options.h"

/* Is everything there that the verb needs?  False after a message. */
bool options_check(const struct options *o, FILE *err);

#endif
