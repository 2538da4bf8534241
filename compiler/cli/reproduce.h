/*
 * Compiles the sources that a bundle contains, to see whether the same bytes come out
 * again.
 */
#ifndef COMPILER_CLI_REPRODUCE_H
#define COMPILER_CLI_REPRODUCE_H

#include "compiler/bundle/writer.h"
#include "compiler/cli/options.h"
#include "runtime/bundle/reader.h"

struct reproduce {
	struct bundle b;
	char *dir;                     /* made by this process; all in it is ours */
	const char *stdlib_dir;        /* the standard library of the bundle */
	VEC(struct sema_input) inputs; /* all other sources, in the bundle's order */
	const char *role;              /* the role that it was compiled for, or NULL */
	struct bundle_options opt;     /* from the manifest */
};

/*
 * Reads the bundle and writes its sources into a new directory.  False after a message
 * on stderr: the bundle cannot be read, has no sources, or is of another version of
 * polc.  Call reproduce_end() in any case.
 */
bool reproduce_begin(const char *path, struct arena *a, struct reproduce *ret);
/*
 * True if `bytes` are those of the bundle, signatures aside; else *ret_what is the
 * first member that differs.
 */
bool reproduce_same(const struct reproduce *r, struct arena *a, struct str bytes,
		    const char **ret_what);
void reproduce_end(struct reproduce *r);

#endif
