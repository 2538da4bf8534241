/*
 * Who may sign, and which bundles must be signed.
 *
 * A bundle that carries signatures, or whose manifest asks for one, is run
 * only under a trusted one; --require-signed asks it of every bundle, and
 * --allowed-signers FILE too.  A key is trusted when a list allows it: FILE,
 * else the system's list, else the user's.  A bundle that speaks at the level
 * 'managed' needs the system's list wherever the machine has one, whatever
 * else is named.  An unsigned bundle that nobody asks a signature of runs.
 */
#ifndef RUNTIME_BUNDLE_TRUST_H
#define RUNTIME_BUNDLE_TRUST_H

#include "runtime/bundle/reader.h"
#include "runtime/bundle/signers.h"

#define TRUST_SYSTEM "/etc/pol/allowed_signers"
#define TRUST_USER "/.config/pol/allowed_signers" /* below the home */

struct trust_options {
	const char *file;      /* --allowed-signers, or NULL */
	bool require;          /* --require-signed */
	const char *home;      /* the caller's; NULL or relative: no user's list */
	const char *principal; /* who must have signed; NULL: anybody who may */
	const char *system;    /* NULL: TRUST_SYSTEM; tests name another */
	int64_t now;           /* seconds since 1970 */
};

/* Under which signature a bundle was opened. */
struct trust {
	bool trusted;             /* false: unsigned, and nobody asked */
	bool by_system;           /* the system's list allows a key of it */
	struct sshkey key;        /* that was found allowed */
	char list[256];           /* where */
	struct signers_found by;
};

/*
 * bundle_open() or, with `run`, bundle_open_run(), which also decides the
 * above.  The signatures are verified before the manifest is parsed.  0 or
 * -errno; absent, empty and unreadable lists are three messages.
 */
int trust_open(const char *path, bool run, const struct trust_options *opt,
	       struct bundle *ret, struct trust *ret_trust, struct rt_err *err);

/* The same of bytes, which it takes over (malloc'ed) also on failure. */
int trust_parse(uint8_t *bytes, size_t size, const struct trust_options *opt,
		struct bundle *ret, struct trust *ret_trust, struct rt_err *err);

/* "signed by WHO (SHA256:…), as LIST:LINE allows", or that it is not signed. */
void trust_describe(const struct trust *t, char *out, size_t cap);

#endif
