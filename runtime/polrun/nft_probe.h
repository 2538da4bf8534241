/* Finds out whether the kernel has what the rules of a limited network need. */
#ifndef RUNTIME_POLRUN_NFT_PROBE_H
#define RUNTIME_POLRUN_NFT_PROBE_H

#include <stddef.h>

/*
 * Makes the chains of a limited network and one rule with each kind of expression, in the
 * caller's network namespace.  The caller needs CAP_NET_ADMIN there and discards the
 * namespace afterwards.  0, or the errno of the first part that the kernel lacks.
 */
int nft_probe(size_t *ret_part);
/* The kernel's module for that part, never NULL. */
const char *nft_probe_module(size_t part);

#endif
