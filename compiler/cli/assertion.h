/* Reads `never|always EFFECT|only SET` of the command line. */
#ifndef COMPILER_CLI_ASSERTION_H
#define COMPILER_CLI_ASSERTION_H

#include "compiler/cli/options.h"
#include "compiler/ir/ir.h"

/* Does the word begin an assertion? */
bool assertion_begins(const char *word);
/* NULL after messages. */
const struct ir_assertion *assertion_read(const char *text, const struct options *o,
					  struct arena *a);

#endif
