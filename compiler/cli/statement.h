/* The change statement of a bundle (doc/bundle-format.md), as `compile --against` makes it. */
#ifndef COMPILER_CLI_STATEMENT_H
#define COMPILER_CLI_STATEMENT_H

#include "compiler/base/str.h"
#include "compiler/ir/ir.h"
#include "runtime/bundle/reader.h"

/*
 * Compares the policy of the bundle `old` with `ir`, which is lifted, and writes the JSON of
 * the statement, as the manifest has it behind `"changes": `.  The same two policies give the
 * same bytes on every machine.  False after a message on stderr: the policy in `old` cannot
 * be read.
 */
bool statement_make(struct bundle *old, const char *path, const struct ir *ir,
		    struct arena *a, struct str *ret);

#endif
