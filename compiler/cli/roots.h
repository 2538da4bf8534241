/*
 * Where a decision takes place: the directories that stand behind HOME,
 * PROJECT_DIR and the other roots, as polrun would set them.
 */
#ifndef COMPILER_CLI_ROOTS_H
#define COMPILER_CLI_ROOTS_H

#include "compiler/cli/options.h"

struct roots {
	struct ir_roots dirs;
	struct str cwd; /* of commands */
};

/* False after a message on `err`. */
bool roots_find(const struct options *o, struct arena *a, struct roots *ret,
		FILE *err);
/*
 * The nearest ancestor of `from`, itself included, strictly below `home` (or
 * below / outside of it) that holds .pol or .git, else `from`.
 */
struct str roots_project(struct arena *a, struct str from, struct str home);
/* $HOME, else the home of the passwd file; physical where it exists. */
struct str roots_home(struct arena *a);
/*
 * Absolute, without '.', '..', '//' and a trailing '/'; relative ones hang
 * off `cwd`.  Where the path, or the beginning of it, exists on this machine
 * and `physical` is set, symbolic links in it are followed.
 */
struct str roots_path(struct arena *a, struct str path, struct str cwd,
		      bool physical);
/* A leading ${NAME} of a known root replaced by its directory. */
bool roots_expand(struct arena *a, const struct ir_roots *dirs, struct str path,
		  struct str *ret);

#endif
