/* How the programs that run or answer under a bundle open it: the one answer
 * to "is this bundle to be believed". */
#ifndef RUNTIME_CLI_VERIFIED_H
#define RUNTIME_CLI_VERIFIED_H

#include "runtime/bundle/trust.h"

struct verified_options {
	const char *path;
	const char *signers; /* --allowed-signers, or NULL */
	bool require;        /* --require-signed */
	bool trace;          /* the filter of --explain-denials is needed */
};

/*
 * Owner, mode, digests, structure, signatures, validity in time, and the
 * filter.  0 or -errno; on failure *ret is empty: bundle_release() is harmless.
 */
int verified_open(const struct verified_options *o, struct bundle *ret,
		  struct trust *ret_trust, struct rt_err *err);

#endif
