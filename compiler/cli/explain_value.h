/* `polc explain` of what is no request: a variable, a limit, the other name of a tree. */
#ifndef COMPILER_CLI_EXPLAIN_VALUE_H
#define COMPILER_CLI_EXPLAIN_VALUE_H

#include "compiler/cli/options.h"

/* Does the first word of the request say so: env, limit, mount? */
bool explain_is_value(const struct options *o);
/* CLI_FINDINGS if nobody says anything about the name. */
enum cli_exit explain_value(struct options *o, struct arena *a);

#endif
