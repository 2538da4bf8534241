/* Makes the region of a policy (region.h): the decisions for all addresses and names. */
#ifndef COMPILER_BACKEND_NFT_REGION_MAKE_H
#define COMPILER_BACKEND_NFT_REGION_MAKE_H

#include "compiler/backend/nft/region.h"

/* False if the rules overlap so often that the work exceeds its budget. */
bool region_make(const struct ir *ir, struct arena *a, struct region *ret);

#endif
