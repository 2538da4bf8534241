/* Hands the transactions of a checked nft.batch to the kernel. */
#ifndef RUNTIME_BUNDLE_NFT_LOAD_H
#define RUNTIME_BUNDLE_NFT_LOAD_H

#include <stddef.h>

#include "runtime/base/err.h"

/*
 * Into the network namespace of the caller, who needs CAP_NET_ADMIN in it.
 * 0 only where the kernel has acknowledged every transaction; else -errno and
 * which message was refused.  Earlier transactions stay.  `batch` is one that
 * nft_batch_check() took.
 */
int nft_load(const void *batch, size_t size, struct rt_err *err);

#endif
