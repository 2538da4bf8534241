/*
 * The netlink messages by which libnftables loads nft.json, so that a run
 * needs no libnftables.  They are taken in a child of polc in a user and a
 * network namespace of its own: there the documents are tried dry, loaded for
 * real while this module's sendmsg() keeps a copy, listed; then the copy is
 * loaded into a second, empty namespace and listed again.
 */
#ifndef COMPILER_BACKEND_NFT_CAPTURE_H
#define COMPILER_BACKEND_NFT_CAPTURE_H

#include "compiler/base/arena.h"
#include "compiler/base/str.h"

struct nft_captured {
	struct str batch;   /* as nft_batch_check() takes it */
	struct str version; /* of libnftables */
};

enum nft_capture_result {
	NFT_CAPTURED,
	NFT_NO_NAMESPACE, /* *ret_why: polc cannot have one here */
	NFT_REFUSED       /* *ret_why: our fault or the kernel's */
};

/* `json` is nft.json.  Both listings and the documents mean the same. */
enum nft_capture_result nft_capture(struct arena *a, struct str json,
				    struct nft_captured *ret, const char **ret_why);

#endif
