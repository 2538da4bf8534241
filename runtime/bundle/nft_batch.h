/*
 * nft.batch: transactions of nf_tables messages as a netlink socket takes
 * them.  Each begins with NFNL_MSG_BATCH_BEGIN and ends with
 * NFNL_MSG_BATCH_END; between them stand only messages that add to the one
 * table "pol" of the family inet: the table itself (first of all), chains,
 * sets, elements, rules.  The first transaction makes the chain "out" on the
 * hook output with the policy drop, before any rule.  Lengths and the
 * top-level attributes are checked here; what is inside of an expression is
 * the kernel's to judge.
 */
#ifndef RUNTIME_BUNDLE_NFT_BATCH_H
#define RUNTIME_BUNDLE_NFT_BATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/base/err.h"

#define NFT_BATCH_MAX ((size_t)16 * 1024 * 1024)

/* Whole structure, once.  `data` is 4-byte aligned.  0 or -errno. */
int nft_batch_check(const void *data, size_t size, struct rt_err *err);

/*
 * Zeroes the bytes between attributes of a checked batch: libnftables sends
 * there what its memory held before, and a bundle has the same bytes each time.
 */
void nft_batch_clean(uint8_t *data, size_t size);

/*
 * The transaction at *at of a checked batch; *at moves behind it.  False at
 * the end.  *ret_last is the offset in it of the last message before the
 * closing one, which is there.
 */
bool nft_batch_next(const uint8_t *data, size_t size, size_t *at,
		    const uint8_t **ret_bytes, size_t *ret_len, size_t *ret_last);

/* "NEWRULE" … of the message at `msg`, for errors; never NULL. */
const char *nft_batch_word(uint16_t type);

#endif
