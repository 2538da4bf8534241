/*
 * The netlink messages by which libnftables loads nft.json, so that a run
 * needs no libnftables.  polnft-record, a program of its own, takes them (record.h).
 * So polc needs no libnftables either.
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
	NFT_NO_NAMESPACE, /* *ret_why: why there can be no namespace here */
	NFT_NO_PROGRAM,   /* *ret_why: why polnft-record cannot be executed */
	NFT_REFUSED       /* *ret_why: our fault or the kernel's */
};

/* `json` is nft.json.  On success, both listings and the documents mean the same. */
enum nft_capture_result nft_capture(struct arena *a, struct str json,
				    struct nft_captured *ret, const char **ret_why);
/* The same with the program that the descriptor `program` names.  It is killed after
 * `seconds`. */
enum nft_capture_result nft_capture_by(struct arena *a, int program, unsigned seconds,
				       struct str json, struct nft_captured *ret,
				       const char **ret_why);

#endif
