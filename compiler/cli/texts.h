/* One policy text by itself: the input of fmt and convert. */
#ifndef COMPILER_CLI_TEXTS_H
#define COMPILER_CLI_TEXTS_H

#include "compiler/cli/compilation.h"

/* Decided by the name, as everywhere: .yml or .yaml. */
bool texts_is_yaml(const char *path);
/*
 * Reads and parses a file, or standard input if `path` is "-".  NULL after an error
 * in the sink.
 */
struct ast_file *texts_parse(struct compilation *c, const char *path, bool yaml);

#endif
