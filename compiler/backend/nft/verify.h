/*
 * Proves that what was emitted is the policy: in every cell of addresses and ports,
 * nft.json (read back) and egress.bin say what the evaluator says.
 */
#ifndef COMPILER_BACKEND_NFT_VERIFY_H
#define COMPILER_BACKEND_NFT_VERIFY_H

#include "compiler/backend/common/backend.h"
#include "compiler/backend/nft/model.h"

/*
 * NULL, or where they differ.  Without nft.json (the mode `full`) only egress.bin is
 * compared.  If the budget does not suffice for every slab of addresses, evenly
 * spaced ones are compared, the first and the last included.
 */
const char *nft_verify(const struct ir *ir, const struct bk_output *in,
		       struct arena *a);

#endif
