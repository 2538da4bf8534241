/*
 * Where a decision takes place: the directories for HOME, PROJECT_DIR and the other
 * roots, as polrun would set them.
 */
#ifndef COMPILER_CLI_ROOTS_H
#define COMPILER_CLI_ROOTS_H

#include "compiler/cli/options.h"

struct roots {
	struct ir_roots dirs;
	struct str cwd; /* working directory of commands */
};

/* False after a message on `err`. */
bool roots_find(const struct options *o, struct arena *a, struct roots *ret,
		FILE *err);
/*
 * The nearest of `from` and its ancestors that holds .pol or .git, else `from`.  Only
 * directories strictly below `home` (or below / if `from` is outside of it) count.
 */
struct str roots_project(struct arena *a, struct str from, struct str home);
/* $HOME, else the home in the passwd file; resolved if it exists. */
struct str roots_home(struct arena *a);
/*
 * The path made absolute (from `cwd`), without '.', '..', '//' and a trailing '/'.
 * If `physical` is set, symbolic links are followed in as much of the path as exists
 * on this machine.
 */
struct str roots_path(struct arena *a, struct str path, struct str cwd,
		      bool physical);
/* Replaces a leading ${NAME} of a known root by the root's directory. */
bool roots_expand(struct arena *a, const struct ir_roots *dirs, struct str path,
		  struct str *ret);

#endif
