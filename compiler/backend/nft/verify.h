/*
 * Proof that what was emitted is the policy: nft.json read back and egress.bin
 * say in every cell of addresses and ports what the evaluator says.
 */
#ifndef COMPILER_BACKEND_NFT_VERIFY_H
#define COMPILER_BACKEND_NFT_VERIFY_H

#include "compiler/backend/common/backend.h"
#include "compiler/backend/nft/model.h"

/*
 * NULL, or where they differ.  Without nft.json (the mode `full`) egress.bin
 * alone.  Past a budget not every slab of addresses is looked at but evenly
 * spaced ones, first and last included.
 */
const char *nft_verify(const struct ir *ir, const struct bk_output *in,
		       struct arena *a);

#endif
