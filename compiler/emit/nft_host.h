/* The target nft-host: a table of nftables for the processes of a user or a cgroup. */
#ifndef COMPILER_EMIT_NFT_HOST_H
#define COMPILER_EMIT_NFT_HOST_H

#include "compiler/base/buf.h"
#include "compiler/emit/report.h"

/* As struct emit_target says. */
const char *emit_nft_host(const struct ir *ir, const struct emit_options *o, struct buf *out,
			  struct emit_report *r);

/*
 * The addresses that the gateway's guard refuses (runtime/base/address_guard.c) as
 * elements of sets: v4, v6; in the mode `full`, in the mode `limited`.  Lists end with NULL.
 */
extern const char *const *const host_guarded[2][2];

#endif
