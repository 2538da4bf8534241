/*
 * The network.  `disabled`: a namespace with its own loopback and no rule of
 * the policy.  `limited`: the same with the rules as an nftables table, and the gateway
 * that makes the connections.  `full`: the network of the host, or, where something is
 * denied or asked, what `limited` has.
 */
#ifndef COMPILER_BACKEND_NFT_NET_H
#define COMPILER_BACKEND_NFT_NET_H

#include "compiler/backend/common/backend.h"

extern const struct backend bk_net;

struct bk_nft {
	bool limited;       /* there is a ruleset */
	bool batch;         /* the output holds its netlink messages */
	struct str version; /* of libnftables, if it was asked */
};

/* Does the run use the host's network namespace?  Temporary data is allocated in the arena. */
bool bk_net_is_hosts(const struct ir *ir, struct arena *a);
/*
 * Adds nft.batch: loads the ruleset for a trial and keeps what libnftables
 * sends.  This needs namespaces, so only `compile` does it, and not if `without`
 * is set.  False after an error in the sink.
 */
bool bk_net_capture(const struct ir *ir, struct bk_output *out, bool without,
		    struct bk_nft *ret, struct diag_sink *sink);

#endif
