/* Does a policy allow a command that runs programs of the project? */
#ifndef COMPILER_BACKEND_MOUNTS_NEEDS_EXEC_H
#define COMPILER_BACKEND_MOUNTS_NEEDS_EXEC_H

#include "compiler/ir/ir.h"

struct needs_exec {
	const char *line;           /* such a line */
	const char *place;          /* where its programs lie, as a pattern */
	const struct ir_rule *rule; /* the rule of a text outside of the library that allows it */
};

/* False: none that we know.  Without the facts for lines (ir.line_facts) no line is read. */
bool needs_exec_find(const struct ir *ir, struct arena *a, struct needs_exec *ret);

#endif
