/*
 * The netlink messages by which libnftables loads nft.json, so that a run
 * needs no libnftables.  A child of polc takes them, in a user and a network
 * namespace of its own.  The child tries the documents dry, loads them for real
 * while this module's sendmsg() keeps a copy, and lists the ruleset.  Then it loads
 * the copy into a second, empty namespace and lists the ruleset again.
 */
#ifndef COMPILER_BACKEND_NFT_CAPTURE_H
#define COMPILER_BACKEND_NFT_CAPTURE_H

#include "compiler/base/arena.h"
#include "compiler/base/str.h"

struct nft_captured {
	struct str batch;   /* in the form that nft_batch_check() takes */
	struct str version; /* of libnftables */
};

enum nft_capture_result {
	NFT_CAPTURED,
	NFT_NO_NAMESPACE, /* *ret_why: why polc cannot have a namespace here */
	NFT_REFUSED       /* *ret_why: our fault or the kernel's */
};

/* `json` is nft.json.  On success, both listings and the documents mean the same. */
enum nft_capture_result nft_capture(struct arena *a, struct str json,
				    struct nft_captured *ret, const char **ret_why);

#endif
