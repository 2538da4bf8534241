/* What a project's files say about it: what polc init writes a policy for. */
#ifndef COMPILER_CLI_PROJECT_LOOK_H
#define COMPILER_CLI_PROJECT_LOOK_H

#include "compiler/base/arena.h"
#include "compiler/base/str.h"
#include "compiler/base/vec.h"

/* A kind of project; the rows are in project_look.c.  Lists end with NULL. */
struct project_kind {
	const char *files[8];  /* one of these in the top folder makes it this kind */
	const char *use;       /* the part of the library for it */
	const char *works[4];  /* lines that its policy allows */
	const char *asks[4];   /* lines that it asks about */
	const char *net;       /* the part of the library for its registry, or NULL */
};

struct project_found {
	const struct project_kind *kind;
	const char *file;      /* the file that says so */
};

struct project_look {
	const char *dir;                /* the project, as a canonical path */
	VEC(struct project_found) kinds;
	bool is_repo;
	struct str remote;              /* the host of origin, or empty */
	bool is_elsewhere;              /* `.git` is a file, and leads to no repository that
	                                   std/dev/project opens (git_common.h) */
};

/* Looks at the top folder only.  `dir` is a canonical path. */
void project_look(struct project_look *ret, struct arena *a, const char *dir);

#endif
