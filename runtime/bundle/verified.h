/* How the programs that run or answer under a bundle open it: the one answer
 * to "is this bundle to be believed". */
#ifndef RUNTIME_BUNDLE_VERIFIED_H
#define RUNTIME_BUNDLE_VERIFIED_H

#include "runtime/bundle/trust.h"

struct verified_options {
	const char *path;    /* or: */
	uint8_t *bytes;      /* malloc'ed, taken over also on failure */
	size_t size;
	const char *signers; /* --allowed-signers, or NULL */
	const char *home;    /* whose list of signers counts; NULL: $HOME */
	int64_t now;         /* seconds since 1970; 0: the clock's */
	bool require;        /* --require-signed */
	bool trace;          /* the filter of --explain-denials is needed */
};

/*
 * Owner and mode (of a path), digests, structure, signatures, validity in time, and the
 * filter.  0 or -errno; on failure *ret is empty: bundle_release() is harmless.
 */
int verified_open(const struct verified_options *o, struct bundle *ret,
		  struct trust *ret_trust, struct rt_err *err);

#endif
