/*
 * Who may sign, and which bundles must be signed.
 *
 * A bundle that has signatures, or whose manifest requires one, only runs if one of its
 * signatures is trusted. --require-signed demands this of every bundle, and so does
 * --allowed-signers FILE. A key is trusted if a list allows it: FILE; without it, the
 * system's list; then the user's. If the machine has a system's list, a bundle that
 * speaks at the level 'managed' needs a key of that list, whatever else is given. An
 * unsigned bundle runs if nobody requires a signature.
 */
#ifndef RUNTIME_BUNDLE_TRUST_H
#define RUNTIME_BUNDLE_TRUST_H

#include "runtime/bundle/reader.h"
#include "runtime/bundle/signers.h"

#define TRUST_SYSTEM "/etc/pol/allowed_signers"
#define TRUST_USER "/.config/pol/allowed_signers" /* below the home directory */

struct trust_options {
	const char *file;      /* --allowed-signers, or NULL */
	bool require;          /* --require-signed */
	const char *home;      /* the caller's; NULL or relative: there is no user's
	                          list */
	const char *principal; /* who must have signed; NULL: anybody who is allowed */
	const char *system;    /* NULL: TRUST_SYSTEM; tests name another */
	int64_t now;           /* seconds since 1970 */
};

/* The signature under which a bundle was opened. */
struct trust {
	bool trusted;             /* false: unsigned, and nobody required a signature */
	bool by_system;           /* the system's list allows one of its keys */
	struct sshkey key;        /* the key that was found allowed */
	char list[256];           /* the list that allows it */
	struct signers_found by;
};

/*
 * Like bundle_open(), or with `run` like bundle_open_run(), and applies the rules above.
 * The signatures are verified before the manifest is parsed. 0 or -errno; absent, empty
 * and unreadable lists have three different messages.
 */
int trust_open(const char *path, bool run, const struct trust_options *opt,
	       struct bundle *ret, struct trust *ret_trust, struct rt_err *err);

/* The same for bytes (malloc'ed), which it takes over, also on failure. */
int trust_parse(uint8_t *bytes, size_t size, const struct trust_options *opt,
		struct bundle *ret, struct trust *ret_trust, struct rt_err *err);

/* "signed by WHO (SHA256:…), as LIST:LINE allows", or a text that it is not signed. */
void trust_describe(const struct trust *t, char *out, size_t cap);

#endif
