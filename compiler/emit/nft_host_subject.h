/* Whom the table of the target nft-host is about, and how it is called. */
#ifndef COMPILER_EMIT_NFT_HOST_SUBJECT_H
#define COMPILER_EMIT_NFT_HOST_SUBJECT_H

#include "compiler/emit/report.h"

struct host_subject {
	struct str table; /* "pol-host-NAME/uid/WHO", with no byte that nft does not take */
	struct str match; /* the expression for the base chain */
};

/* NULL, or what is wrong with the options or the policy's name. */
const char *host_subject(const struct ir *ir, const struct emit_options *o, struct arena *a,
			 struct host_subject *ret);

#endif
