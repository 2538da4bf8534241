/*
 * Detached signatures in OpenSSH's SSHSIG form (PROTOCOL.sshsig of OpenSSH), as
 * `ssh-keygen -Y sign` writes them. `ssh-keygen -Y verify` accepts whatever is accepted
 * here. This reader is stricter: armour and encoding have one form, the version must be
 * 1, and a hardware key must have been touched.
 */
#ifndef RUNTIME_BUNDLE_SSHSIG_H
#define RUNTIME_BUNDLE_SSHSIG_H

#include "runtime/bundle/sshkey.h"

#define SSHSIG_NAMESPACE "polc-bundle"

enum {
	SSHSIG_MAX_ARMOUR = 4096, /* bytes of a signature file */
	SSHSIG_MAX_BLOB = 3072    /* the most bytes that such a file can hold */
};

enum sshsig_hash { SSHSIG_SHA256, SSHSIG_SHA512 };

/* The fields of a signature; views into the blob. */
struct sshsig {
	struct sshkey key;
	const uint8_t *name_space;
	size_t name_space_n;
	enum sshsig_hash hash;
	const uint8_t *sig; /* 64 bytes */
	uint8_t flags;      /* sk only */
	uint32_t counter;   /* sk only */
};

/* Decodes the file's text into the blob of at most SSHSIG_MAX_BLOB bytes. 0 or -errno. */
int sshsig_dearmour(const uint8_t *text, size_t n, uint8_t *blob, size_t *ret_n,
		    struct rt_err *err);
/* Reads the structure only; verifies nothing. 0 or -errno. */
int sshsig_parse(const uint8_t *blob, size_t n, struct sshsig *ret, struct rt_err *err);
/*
 * Is `text` (a whole signature file) a signature over `msg` in the namespace
 * SSHSIG_NAMESPACE? Returns 0 and the key that signed, which may not be a trusted one; or
 * -errno, and the field that is wrong. Time and memory are bounded for any bytes.
 */
int sshsig_check(const uint8_t *text, size_t n, const uint8_t *msg, size_t msg_n,
		 struct sshkey *ret_key, struct rt_err *err);

#endif
