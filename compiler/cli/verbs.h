/* The verbs of polc as data, for main() and for texts that are made from the tables. */
#ifndef COMPILER_CLI_VERBS_H
#define COMPILER_CLI_VERBS_H

#include "compiler/cli/options.h"

extern const struct optspec_verb cli_verbs[CLI_VERB_COUNT];
/* Describes polc: its verbs and their options. */
const struct optspec_program *options_program(void);

#endif
