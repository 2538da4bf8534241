/* The resolved policy that a command line names, from sources or from a bundle. */
#ifndef COMPILER_CLI_LOADED_H
#define COMPILER_CLI_LOADED_H

#include "compiler/cli/cli.h"

struct loaded {
	const char *name;     /* for messages: the bundle or the first source */
	struct compilation c; /* only for sources */
	const struct ir *ir;
	const char *doubt;     /* why a bundle may decide otherwise than `ir` says; or NULL */
	struct str not_before; /* of a bundle that is not valid yet: its first day */
};

/*
 * Reads the policy.  `before`: one that was read already, whose memory lives as long, or
 * NULL; what both use of the standard library is read once.  Sources go through the passes up to "lift"; from a bundle,
 * ir.json is read after a check of its digest.  The tables for the analysis of lines
 * are included.  CLI_CLEAN, or an exit status after messages.
 */
enum cli_exit loaded_read_after(struct loaded *l, struct options *o,
				const struct loaded *before, struct arena *a);
/* The same of a policy that is to be shown: the reader is told of a doubt. */
enum cli_exit loaded_read(struct loaded *l, struct options *o, struct arena *a);

/*
 * *ret_doubt (NULL: nobody asks): as in struct loaded.
 * The resolved policy in a bundle, with its tables of commands and with the last day of the
 * bundle, which --expires may have set; NULL after a message, also if it is not that of `role`
 * (NULL: of any).
 */
struct ir *loaded_ir(struct bundle *b, const char *path, const char *role, struct arena *a,
		     const char **ret_doubt);

#endif
