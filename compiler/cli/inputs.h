/* --inputs: which files a compilation has read. */
#ifndef COMPILER_CLI_INPUTS_H
#define COMPILER_CLI_INPUTS_H

#include "compiler/cli/compilation.h"

/*
 * Writes to a new file `path`:
 *   dropped N                            statements that a narrow-only file may not make
 *   file LEVEL FLAGS BLAKE2B-256 PATH    one line for each file at each level
 *   end
 * LEVEL is 1 (managed) to 5 (default).  FLAGS are letters, or "-": n narrow-only, s of the
 * standard library, i an input and not only used by another file.  PATH is absolute or
 * relative to the working directory, as it was opened.  False after a message.
 */
bool inputs_write(const struct compilation *c, const char *path);

#endif
