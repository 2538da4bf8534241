/*
 * The list of allowed signers, in OpenSSH's format (ssh-keygen(1), ALLOWED SIGNERS), with
 * one line for each key,
 *
 *     PRINCIPALS [OPTIONS] KEYTYPE BASE64-KEY [COMMENT]
 *
 * and the options namespaces, valid-after, valid-before and cert-authority. A line that
 * cannot be read allows nobody; it is reported if no other line allows the key.
 * Certificates are not supported: a line of an authority allows nobody.
 */
#ifndef RUNTIME_BUNDLE_SIGNERS_H
#define RUNTIME_BUNDLE_SIGNERS_H

#include "runtime/bundle/sshkey.h"

enum {
	SIGNERS_MAX_BYTES = 1024 * 1024,
	SIGNERS_MAX_VALUE = 1024, /* bytes of an option's value */
	SIGNERS_SHOWN_CAP = 96
};

struct signers_query {
	const struct sshkey *key;
	const char *principal; /* who must have signed; NULL: anybody in the list */
	int64_t now;           /* seconds since 1970 */
};

struct signers_found {
	unsigned line;                /* from 1 */
	char who[SIGNERS_SHOWN_CAP];  /* the principal, or the line's patterns; escaped */
};

/*
 * Looks for a line that allows the key to sign bundles. Returns 0; -ENODATA if the list
 * has no lines at all; -ENOKEY if no line has the key; -EKEYEXPIRED or -EKEYREJECTED if a
 * line has the key but does not allow it. The message says which field decided. `text`
 * may hold any bytes. Time is at most (bytes of the list) x (bytes of the principal).
 */
int signers_find(const char *text, size_t n, const struct signers_query *q,
		 struct signers_found *ret, struct rt_err *err);

/* Does a comma-separated list of patterns match the name? Patterns have '*' and '?', and
 * '!' in front for a negation. */
bool signers_match(const char *list, size_t n, const char *name, size_t name_n);

#endif
