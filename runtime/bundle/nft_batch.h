/*
 * nft.batch: transactions of nf_tables messages, in the form for a netlink socket. Each
 * transaction begins with NFNL_MSG_BATCH_BEGIN and ends with NFNL_MSG_BATCH_END. The
 * messages between only add to the one table "pol" of the family inet: the table itself
 * (first of all), its two chains, sets, elements, rules.  The first transaction creates the
 * chains: "out" on the hook output, which filters before NAT and drops what it does not
 * accept, and "nat", which redirects.  A rule names one of them and holds only the
 * expressions that the compiler's rules have there: a packet is compared, counted, logged,
 * accepted or rejected in "out", and redirected in "nat".  What the values of an expression
 * mean is for the kernel to judge.
 */
#ifndef RUNTIME_BUNDLE_NFT_BATCH_H
#define RUNTIME_BUNDLE_NFT_BATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/base/err.h"

#define NFT_BATCH_MAX ((size_t)16 * 1024 * 1024)

/* Checks the whole structure, once. `data` must be 4-byte aligned. 0 or -errno. */
int nft_batch_check(const void *data, size_t size, struct rt_err *err);

/*
 * Zeroes the bytes between the attributes of a checked batch. libnftables sends there
 * what was in its memory, but a bundle must have the same bytes each time.
 */
void nft_batch_clean(uint8_t *data, size_t size);

/*
 * Gives the transaction at *at of a checked batch, and moves *at to the next one. false:
 * there are no more. *ret_last is the offset, within the transaction, of the last message
 * before the closing one. There always is such a message.
 */
bool nft_batch_next(const uint8_t *data, size_t size, size_t *at,
		    const uint8_t **ret_bytes, size_t *ret_len, size_t *ret_last);

/* The word for a message type in errors, "NEWRULE" …; never NULL. */
const char *nft_batch_word(uint16_t type);

#endif
