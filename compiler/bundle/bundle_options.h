/* What the caller of a compilation decides about the bundle, beside the policy itself. */
#ifndef COMPILER_BUNDLE_BUNDLE_OPTIONS_H
#define COMPILER_BUNDLE_BUNDLE_OPTIONS_H

#include "compiler/backend/nft/net.h"

struct bundle_options {
	int64_t created;       /* seconds since 1970; -1: none */
	uint64_t serial;       /* 0: that of the policy */
	struct str expires;    /* YYYY-MM-DD; empty: that of the policy, if any */
	struct str not_before; /* YYYY-MM-DD or empty */
	struct str previous;   /* SHA-256 of the previous manifest, in hex; or empty */
	struct str changes;    /* the JSON of the change statement; or empty */
	unsigned signatures;   /* number that the manifest demands; 0: none */
	bool no_sources;       /* leave out the texts, keep their digests */
	struct bk_nft nft;     /* from bk_net_capture() */
	const char *version;   /* of the compiler, never NULL */
};

#endif
