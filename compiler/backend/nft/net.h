/*
 * The network.  `disabled`: a namespace with its own loopback and no rule of
 * the policy.  `limited`: the same with the rules as an nftables table; addresses
 * outside cannot be reached until there is an egress gateway.  `full`, where
 * nothing is denied: the network of the host.
 */
#ifndef COMPILER_BACKEND_NFT_NET_H
#define COMPILER_BACKEND_NFT_NET_H

#include "compiler/backend/common/backend.h"

extern const struct backend bk_net;

/* NULL, or the rule or scalar that stops this version from making a bundle: a deny
 * or an ask in the mode `full`. */
const struct ir_place *bk_net_refused(const struct ir *ir);

struct bk_nft {
	bool limited;       /* there is a ruleset */
	bool batch;         /* the output holds its netlink messages */
	struct str version; /* of libnftables, if it was asked */
};

/*
 * Adds nft.batch: loads the ruleset for a trial and keeps what libnftables
 * sends.  This needs namespaces, so only `compile` does it, and not if `without`
 * is set.  False after an error in the sink.
 */
bool bk_net_capture(const struct ir *ir, struct bk_output *out, bool without,
		    struct bk_nft *ret, struct diag_sink *sink);

#endif
