/* Warns about a secret in the text of a policy, where every reader sees it. */
#ifndef COMPILER_FRONTEND_PLAIN_SECRET_H
#define COMPILER_FRONTEND_PLAIN_SECRET_H

#include "compiler/diag/diag.h"

/*
 * Warns (P0046) if the value of the variable `name` looks like a secret.  Returns the
 * warning or NULL; the caller adds how its language names a secret.
 */
struct diag *plain_secret(struct diag_sink *sink, struct str name, struct str value,
			  struct span at);

#endif
