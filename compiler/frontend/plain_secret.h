/* A secret that stands in a policy's text, where each reader of it sees it. */
#ifndef COMPILER_FRONTEND_PLAIN_SECRET_H
#define COMPILER_FRONTEND_PLAIN_SECRET_H

#include "compiler/diag/diag.h"

/*
 * Warns (P0046) where the value of the variable `name` looks like one; returns
 * the warning, to which the caller adds how his language names a secret, or NULL.
 */
struct diag *plain_secret(struct diag_sink *sink, struct str name, struct str value,
			  struct span at);

#endif
