/*
 * The pass list of a compilation, which is data: parse (alone, for dump), load,
 * resolve, lower, lift, then one pass for each back end.
 */
#ifndef COMPILER_CLI_PASSES_H
#define COMPILER_CLI_PASSES_H

#include "compiler/cli/compilation.h"

void compilation_init(struct compilation *c, const struct options *o,
		      struct arena *a);
/*
 * Runs the passes up to `until` (NULL: all).  The IR is verified after each
 * pass that has one.  CLI_CLEAN, CLI_FINDINGS with errors in the sink, or
 * CLI_INTERNAL with `internal` set.
 */
enum cli_exit passes_run(struct compilation *c, const char *until);
/* Proves what the back ends emitted equal to the IR: CLI_CLEAN or CLI_INTERNAL. */
enum cli_exit passes_verify(struct compilation *c);
/* The names of all passes, in order; *ret_n of them. */
const char *const *passes_names(struct arena *a, size_t *ret_n);
/* Prints what there is after the pass `name`, which has run. */
void passes_print(FILE *out, struct compilation *c, const char *name);
/* The back end of that name, or NULL. */
const struct backend *passes_backend(struct str name);

#endif
