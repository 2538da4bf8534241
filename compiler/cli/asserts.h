/* The assertions of a policy: each is proved over all requests when it is compiled. */
#ifndef COMPILER_CLI_ASSERTS_H
#define COMPILER_CLI_ASSERTS_H

#include "compiler/cli/compilation.h"

/*
 * Proves every `assert` of a compilation that has passed "lift" without errors, of
 * whatever level and file: without a role, and under each role that may be chosen; with
 * --role, under this one.  One that is refuted, and one that is not decided, is an error
 * in the sink.  CLI_CLEAN; CLI_UNDECIDED if none is refuted; CLI_FINDINGS; or
 * CLI_INTERNAL after a message.
 */
enum cli_exit asserts_run(struct compilation *c);

#endif
