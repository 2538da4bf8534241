/*
 * `REV:PATH` on the command line of diff, and behind --against: a policy as a git revision
 * has it.  What it
 * uses comes from the same revision, except for the standard library.
 */
#ifndef COMPILER_CLI_REVISION_H
#define COMPILER_CLI_REVISION_H

#include "compiler/base/vec.h"
#include "compiler/cli/options.h"
#include "compiler/sema/sema.h"
#include "runtime/bundle/reader.h"

struct revision_text {
	const char *path; /* from the top of the tree */
	struct str text;
};

struct revision {
	struct sema_store store; /* first: the functions of the store get it */
	struct arena *a;
	const char *tree; /* the id of its tree: a branch that moves changes nothing */
	const char *path; /* of the policy, from the top of the tree */
	VEC(struct revision_text) texts; /* those that were read already */
};

/*
 * Does the word name a file of a revision?  It has a ':' outside of braces, as git has it,
 * and begins with neither '.' nor '/'.  The working directory has no say: a file with such
 * a name must not stand in for the revision that somebody wanted to compare with.
 */
bool revision_is(const char *word);
/* Finds the revision of a word for which revision_is() is true; false after a message. */
bool revision_open(struct revision *r, struct arena *a, const char *word);
/* A bundle as a revision has it, with all that bundle_open() checks but the owner of a file;
 * false after a message. */
bool revision_bundle(const char *word, struct arena *a, struct bundle *ret);
/*
 * Makes the word the bundle of *o, or adds it to the sources: a FILE, or REV:FILE.  False
 * after a message; that a file can be read is not asked yet.
 */
bool revision_add(struct options *o, const char *word, struct arena *a);

#endif
