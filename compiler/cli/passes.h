/*
 * The list of passes of a compilation: parse (alone, for dump), load, resolve, lower,
 * examples, lift, then one pass for each back end.  The list is data.
 */
#ifndef COMPILER_CLI_PASSES_H
#define COMPILER_CLI_PASSES_H

#include "compiler/cli/compilation.h"

void compilation_init(struct compilation *c, const struct options *o,
		      struct arena *a);
/*
 * Runs the passes up to `until` (NULL: all).  Once there is an IR, it is verified after
 * each pass, but only once for all back ends.  CLI_CLEAN, CLI_FINDINGS with errors in
 * the sink, or CLI_INTERNAL with `internal` set.
 */
enum cli_exit passes_run(struct compilation *c, const char *until);
/* Runs the back ends alone, where there is an IR (of a bundle) and no source. */
enum cli_exit passes_of_ir(struct compilation *c);
/* Proves that what the back ends emitted is equal to the IR: CLI_CLEAN or
 * CLI_INTERNAL. */
enum cli_exit passes_verify(struct compilation *c);
/* The names of all passes, in order; *ret_n is their number. */
const char *const *passes_names(struct arena *a, size_t *ret_n);
/* Prints the state after the pass `name`, which must have run. */
void passes_print(FILE *out, struct compilation *c, const char *name);
/* The back end of that name, or NULL. */
const struct backend *passes_backend(struct str name);

#endif
