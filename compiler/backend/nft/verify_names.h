/*
 * The half of verify.h about host names: every class of egress.bin says what the evaluator
 * says about one of its names, and grants no more than the rules do.
 */
#ifndef COMPILER_BACKEND_NFT_VERIFY_NAMES_H
#define COMPILER_BACKEND_NFT_VERIFY_NAMES_H

#include "compiler/backend/nft/region.h"

/* NULL, or where they differ. */
const char *nft_verify_names(const struct ir *ir, const struct pb_egress *e,
			     struct arena *a);

#endif
