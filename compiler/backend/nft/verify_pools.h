/*
 * The half of verify.h about pools: the table lets each synthetic address reach exactly the
 * ports that some name of its pool may use.
 */
#ifndef COMPILER_BACKEND_NFT_VERIFY_POOLS_H
#define COMPILER_BACKEND_NFT_VERIFY_POOLS_H

#include "compiler/backend/nft/model.h"

/* NULL, or where they differ. */
const char *nft_verify_pools(const struct pb_egress *e, const struct model *m,
			     struct arena *a);

#endif
