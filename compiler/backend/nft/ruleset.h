/*
 * Turns the decisions for every address and port into the rules of one nftables
 * table: nft.json (documents of libnftables) and egress.bin.  One statement of the
 * policy becomes a named set of addresses for each family and one rule for each
 * protocol.  The set holds ports too where they differ; a single block needs no set.
 * No two of these rules overlap, so their order has no meaning.  Before them
 * stand the table's own rules (gateway.h).
 */
#ifndef COMPILER_BACKEND_NFT_RULESET_H
#define COMPILER_BACKEND_NFT_RULESET_H

#include "compiler/backend/common/backend.h"
#include "compiler/backend/nft/region.h"

/* The longest comment and log prefix that the kernel's tools keep, ours included. */
#define RULESET_MAX_COMMENT 120
#define RULESET_REPLIES "(replies)"

/*
 * `r` is what coarse_make() made of the region.  Writes documents, one a line.  The first makes the table and the chain.  The
 * messages of a document are never longer than PB_NFT_TRANSACTION.
 */
void ruleset_json(struct buf *out, const struct ir *ir, const struct region *r);
/* Writes the member egress.bin; false (with a message) if its table is too large. */
bool ruleset_egress(struct bk_output *out, const struct ir *ir, const struct region *r,
		    struct diag_sink *sink);
/* The comment on the rules of rule (or scalar) number `rule`: its id, cut to length. */
struct str ruleset_comment(const struct ir *ir, uint32_t rule);

#endif
