/* The half of region_make() for host names. */
#ifndef COMPILER_BACKEND_NFT_REGION_NAMES_H
#define COMPILER_BACKEND_NFT_REGION_NAMES_H

#include "compiler/backend/nft/sweep.h"

/* Fills in hosts, classes and pools of s->cells.out; false if the budget is exceeded. */
bool region_names(struct sweep *s);

#endif
