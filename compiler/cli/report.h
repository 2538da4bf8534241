/*
 * The messages about a policy that compiles: statements that do not count, facts
 * that have no effect yet, and how well each rule is enforced.
 */
#ifndef COMPILER_CLI_REPORT_H
#define COMPILER_CLI_REPORT_H

#include "compiler/cli/compilation.h"

/*
 * Turns what the IR and the back ends know into diagnostics.  Rules of the standard
 * library are included only with --verbose.
 */
void report_fill(struct compilation *c);
/* Adds one line for the rules of the library, after all other messages. */
void report_sum(struct compilation *c);
/* Prints the sink to stderr as text. */
void report_print(struct compilation *c);
/* "polc: internal error: …" for exit 70. */
void report_internal(const struct compilation *c);

#endif
