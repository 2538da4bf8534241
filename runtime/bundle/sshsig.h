/*
 * Detached signatures in OpenSSH's SSHSIG form (PROTOCOL.sshsig of OpenSSH),
 * as `ssh-keygen -Y sign` writes them.  Whatever is accepted here is accepted
 * by `ssh-keygen -Y verify` too; here the armour and the encoding are strict,
 * the version must be 1, and a hardware key must have been touched.
 */
#ifndef RUNTIME_BUNDLE_SSHSIG_H
#define RUNTIME_BUNDLE_SSHSIG_H

#include "runtime/bundle/sshkey.h"

#define SSHSIG_NAMESPACE "polc-bundle"

enum {
	SSHSIG_MAX_ARMOUR = 4096, /* bytes of a signature file */
	SSHSIG_MAX_BLOB = 3072    /* what that can hold */
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

/* The file's text to the blob, at most SSHSIG_MAX_BLOB bytes.  0 or -errno. */
int sshsig_dearmour(const uint8_t *text, size_t n, uint8_t *blob, size_t *ret_n,
		    struct rt_err *err);
/* Structure only; nothing is verified.  0 or -errno. */
int sshsig_parse(const uint8_t *blob, size_t n, struct sshsig *ret, struct rt_err *err);
/*
 * Is `text` (a whole signature file) a signature over `msg` in the namespace
 * SSHSIG_NAMESPACE?  0 and the key that made it, which is not yet a trusted
 * one; or -errno with the field that is wrong.  Bounded time and memory for
 * any bytes.
 */
int sshsig_check(const uint8_t *text, size_t n, const uint8_t *msg, size_t msg_n,
		 struct sshkey *ret_key, struct rt_err *err);

#endif
