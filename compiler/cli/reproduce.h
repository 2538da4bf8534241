/*
 * A bundle's own sources as the input of a compilation, to see whether the
 * same bytes come out again.
 */
#ifndef COMPILER_CLI_REPRODUCE_H
#define COMPILER_CLI_REPRODUCE_H

#include "compiler/bundle/writer.h"
#include "compiler/cli/options.h"
#include "runtime/bundle/reader.h"

struct reproduce {
	struct bundle b;
	char *dir;                     /* of this process; everything below is ours */
	const char *stdlib_dir;        /* the bundle's standard library */
	VEC(struct sema_input) inputs; /* all of the others, in their order */
	const char *role;              /* that it was compiled for, or NULL */
	struct bundle_options opt;     /* as the manifest says */
};

/*
 * Reads the bundle and lays its sources out in a directory of their own.
 * False after a message on stderr: a bundle that cannot be read, without
 * sources, or of another version of polc.  reproduce_end() in any case.
 */
bool reproduce_begin(const char *path, struct arena *a, struct reproduce *ret);
/*
 * True where `bytes` are the bundle's but for its signatures; else *ret_what
 * is the first member that differs.
 */
bool reproduce_same(const struct reproduce *r, struct arena *a, struct str bytes,
		    const char **ret_what);
void reproduce_end(struct reproduce *r);

#endif
