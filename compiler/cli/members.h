/* Whether a bundle decides as the resolved policy in it says. */
#ifndef COMPILER_CLI_MEMBERS_H
#define COMPILER_CLI_MEMBERS_H

#include "compiler/ir/ir.h"
#include "runtime/bundle/reader.h"

/*
 * A run reads the tables of a bundle, and polc its ir.json: they may come from two policies, where
 * somebody put a bundle together by hand, or from two versions of polc.  Makes the tables again
 * from `ir`, as it was read, and compares.  NULL, or why it is not known that a run decides so.
 * Nothing is made of nft.batch, which only the kernel can make, nor of the sources.
 */
const char *members_differ(const struct bundle *b, const struct ir *ir, struct arena *a);

#endif
