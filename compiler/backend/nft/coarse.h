/*
 * What the kernel's table is made from: the region itself, or, where that would take the
 * kernel longer than a start should wait, one that it decides less finely.
 *
 * A block costs the kernel about 2 us and a statement about 20, at each start.  So a policy
 * of more than COARSE_STATEMENTS statements has sets in which they are not told apart, and
 * one of more than COARSE_BLOCKS blocks has blocks that are rounded: outwards for tcp that
 * is accepted, and a connection that the table accepts for that reason alone is refused by
 * the gateway, which decides by egress.bin in any case.  So the table may accept more than
 * the policy, never less, and nothing leaves for that.  The run's own loopback, which the
 * gateway does not see, is always exact.
 */
#ifndef COMPILER_BACKEND_NFT_COARSE_H
#define COMPILER_BACKEND_NFT_COARSE_H

#include "compiler/backend/nft/region.h"

#define COARSE_STATEMENTS 16u
#define COARSE_BLOCKS 128u /* of each family */

/* Comment of its rules, and their prefix in the kernel's log. */
#define COARSE_COMMENT "(many)"

/* What the kernel does with a decision. */
enum coarse_outcome {
	COARSE_REJECT,
	COARSE_ACCEPT,
	COARSE_REST /* what no rule decides: the last rules of the table */
};

enum coarse_outcome coarse_outcome(const struct ir *ir, const struct region_piece *p,
				   unsigned proto, bool loopback);
/*
 * `*ret` shares everything with `r` but slabs and lists; `blocks` is COARSE_BLOCKS but in
 * tests.  The rule of a piece in which statements are not told apart is REGION_MANY.
 */
void coarse_make(const struct ir *ir, const struct region *r, size_t blocks,
		 struct arena *a, struct region *ret);

#endif
