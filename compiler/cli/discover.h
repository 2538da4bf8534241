/* Finds the policies that polrun would find (semantics 3). */
#ifndef COMPILER_CLI_DISCOVER_H
#define COMPILER_CLI_DISCOVER_H

#include "compiler/cli/options.h"
#include "compiler/cli/roots.h"

/*
 * Adds the *.pol, *.yml and *.yaml files of one directory, sorted by name.  A
 * directory that does not exist has no files; one that cannot be read is an
 * error: false after a message.
 * `name` is how the directory is printed.
 */
bool discover_dir(struct options *o, struct arena *a, const char *dir,
		  const char *name, enum ir_level level, FILE *err);
/* Adds the files of all three places for --discover.  If nobody has written what a run may
 * do (the user has no file, trusts none of the project, and none was named), it adds the
 * policy of --fallback at the level of the user. */
bool discover_all(struct options *o, struct arena *a, const struct roots *roots,
		  FILE *err);

#endif
