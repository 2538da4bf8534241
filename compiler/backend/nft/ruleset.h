/*
 * From what every address and port gets to the rules of one nftables table:
 * nft.json (documents of libnftables) and egress.bin.  One statement of the
 * policy is a named set of addresses for each family (with ports inside of it
 * where they differ; none for a single block) and one rule for each protocol, all of them apart from
 * each other, so that their order says nothing.
 */
#ifndef COMPILER_BACKEND_NFT_RULESET_H
#define COMPILER_BACKEND_NFT_RULESET_H

#include "compiler/backend/common/backend.h"
#include "compiler/backend/nft/region.h"

/* The longest comment and log prefix that the kernel's tools keep, with ours. */
#define RULESET_MAX_COMMENT 120

/*
 * Documents one a line.  The first makes table and chain; no document's
 * messages are longer than PB_NFT_TRANSACTION.
 */
void ruleset_json(struct buf *out, const struct ir *ir, const struct region *r);
/* The member egress.bin; false where its table is too large (a message). */
bool ruleset_egress(struct bk_output *out, const struct region *r,
		    struct diag_sink *sink);
/* The comment of the rules of rule (or scalar) number `rule`: its id, cut. */
struct str ruleset_comment(const struct ir *ir, uint32_t rule);

#endif
