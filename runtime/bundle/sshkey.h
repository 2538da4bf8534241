/*
 * SSH public keys, as they occur in signatures and lists of allowed signers: the wire
 * encoding (RFC 4251 section 5), and the two types that the runtime verifies, ssh-ed25519
 * (RFC 8709) and sk-ssh-ed25519@openssh.com (OpenSSH's PROTOCOL.u2f). Every other type is
 * refused by its name.
 */
#ifndef RUNTIME_BUNDLE_SSHKEY_H
#define RUNTIME_BUNDLE_SSHKEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/base/err.h"

#define SSHKEY_ED25519_NAME "ssh-ed25519"
#define SSHKEY_SK_ED25519_NAME "sk-ssh-ed25519@openssh.com"

enum {
	SSHKEY_MAX_BLOB = 1024,
	SSHKEY_NAME_CAP = 44,       /* 43 characters */
	SSHKEY_FINGERPRINT_CAP = 51 /* "SHA256:" and 43 characters */
};

enum sshkey_type { SSHKEY_ED25519, SSHKEY_SK_ED25519 };

struct sshkey {
	enum sshkey_type type;
	uint8_t pk[32];
	uint8_t app_hash[32]; /* SHA-256 of the application; sk only */
	uint8_t id[32];       /* SHA-256 of the blob, of which each key has exactly one
	                         spelling */
};

/* Unread bytes of a message in the wire encoding. */
struct ssh_wire {
	const uint8_t *p;
	size_t n;
};

/* Reads a length of 32 bits and that many bytes, as a view. false: the bytes end
 * early. */
bool ssh_wire_string(struct ssh_wire *w, const uint8_t **ret, size_t *ret_n);
bool ssh_wire_u32(struct ssh_wire *w, uint32_t *ret);
bool ssh_wire_u8(struct ssh_wire *w, uint8_t *ret);
/* Is the string equal to this text? */
bool ssh_wire_is(const uint8_t *p, size_t n, const char *text);

/*
 * Reads base64 with its padding, in its only spelling. With `lines` it may contain
 * newlines. false: it is not such text, or decodes to more than `cap` bytes.
 */
bool ssh_base64(const char *text, size_t n, bool lines, uint8_t *out, size_t cap,
		size_t *ret_n);

/* Reads a public key that uses all `n` bytes. 0 or -errno. */
int sshkey_parse(const uint8_t *blob, size_t n, struct sshkey *ret, struct rt_err *err);
/* Is it one of OpenSSH's key types, whether supported here or not? */
bool sshkey_is_type(const char *name, size_t n);
bool sshkey_equal(const struct sshkey *a, const struct sshkey *b);
/* "SHA256:…" as `ssh-keygen -l` prints it. */
void sshkey_fingerprint(const struct sshkey *k, char out[SSHKEY_FINGERPRINT_CAP]);
/* The same 43 characters, with '-' and '_' instead of '+' and '/': part of a member's
 * path. */
void sshkey_name(const struct sshkey *k, char out[SSHKEY_NAME_CAP]);

#endif
