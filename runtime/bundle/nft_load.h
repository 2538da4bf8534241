/* Hands the transactions of a checked nft.batch to the kernel. */
#ifndef RUNTIME_BUNDLE_NFT_LOAD_H
#define RUNTIME_BUNDLE_NFT_LOAD_H

#include <stddef.h>

#include "runtime/base/err.h"

/*
 * Loads the batch into the caller's network namespace, in which the caller needs
 * CAP_NET_ADMIN. Returns 0 only if the kernel has acknowledged every transaction;
 * otherwise -errno, and the message that was refused. Earlier transactions stay.
 * nft_batch_check() must have accepted `batch`.
 */
int nft_load(const void *batch, size_t size, struct rt_err *err);

#endif
