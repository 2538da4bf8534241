/* The resolved policy that a command line names: of sources, or of a bundle. */
#ifndef COMPILER_CLI_LOADED_H
#define COMPILER_CLI_LOADED_H

#include "compiler/cli/cli.h"

struct loaded {
	const char *name;     /* for messages: the bundle, or the first source */
	struct compilation c; /* of sources only */
	const struct ir *ir;
};

/*
 * Reads the policy: of sources up to the pass "lift", of a bundle its ir.json
 * after its digest was compared; with the tables by which lines are read.  CLI_CLEAN, or an exit status after messages.
 */
enum cli_exit loaded_read(struct loaded *l, struct options *o, struct arena *a);

/* The resolved policy that a bundle holds, with its tables of commands; NULL
 * after a message. */
struct ir *loaded_ir(struct bundle *b, const char *path, struct arena *a);

#endif
