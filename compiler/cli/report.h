/*
 * What is to be said about a policy that compiles: statements that do not
 * count, facts that do not act yet, and how well each rule is enforced.
 */
#ifndef COMPILER_CLI_REPORT_H
#define COMPILER_CLI_REPORT_H

#include "compiler/cli/compilation.h"

/*
 * Turns what the IR and the back ends know into diagnostics, without the rules
 * of the standard library unless the options say --verbose.
 */
void report_fill(struct compilation *c);
/* One line for those, after everything else that there is to say. */
void report_sum(struct compilation *c);
/* Prints the sink to stderr as text. */
void report_print(const struct compilation *c);
/* "polc: internal error: …" for exit 70. */
void report_internal(const struct compilation *c);

#endif
