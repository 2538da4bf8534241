/*
 * What `polc check` says of rules that decide nothing, and the comments that suppress such
 * messages.
 */
#ifndef COMPILER_CLI_LINTS_H
#define COMPILER_CLI_LINTS_H

#include "compiler/cli/compilation.h"

/*
 * Adds the messages about rules; the policy must compile and be lifted.  False: not all
 * rules were looked at.
 */
bool lints_rules(struct compilation *c);

/* What a run has looked for, so that comments which suppress nothing can be told. */
enum suppress_says {
	SUPPRESS_QUIETLY, /* say nothing about comments */
	SUPPRESS_BAD,     /* say which are faulty or have expired */
	SUPPRESS_UNUSED   /* also, which suppress nothing */
};

/*
 * Takes messages out of the sink that comments suppress (doc/polc.md, "Suppressing a
 * lint").  Errors stay, whatever a comment says.
 */
void suppress_lints(struct compilation *c, enum suppress_says says);

#endif
