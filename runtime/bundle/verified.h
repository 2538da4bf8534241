/* How the programs that run a bundle, or answer from one, open it. This is the only place
 * that decides whether to believe a bundle. */
#ifndef RUNTIME_BUNDLE_VERIFIED_H
#define RUNTIME_BUNDLE_VERIFIED_H

#include "runtime/bundle/trust.h"

struct verified_options {
	const char *path;    /* or: */
	uint8_t *bytes;      /* malloc'ed, taken over also on failure */
	size_t size;
	const char *signers; /* --allowed-signers, or NULL */
	const char *home;    /* the home with the user's list of signers; NULL: $HOME */
	int64_t now;         /* seconds since 1970; 0: use the clock */
	bool require;        /* --require-signed */
	bool trace;          /* the filter for --explain-denials is needed */
};

/*
 * Verifies owner and mode (if there is a path), digests, structure, signatures, validity
 * in time, that it stands under the host's managed policies, and the
 * filters that may be loaded. 0 or -errno; on failure *ret is empty, and bundle_release() is
 * harmless.
 */
int verified_open(const struct verified_options *o, struct bundle *ret,
		  struct trust *ret_trust, struct rt_err *err);

#endif
