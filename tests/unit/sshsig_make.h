/*
 * SSHSIG signatures by hand, so that a test can get one field of them wrong:
 * the keys are real ones and so are the signatures.  For the tests of the
 * reader, of the lists of signers, and of bundles.
 */
#ifndef TESTS_UNIT_SSHSIG_MAKE_H
#define TESTS_UNIT_SSHSIG_MAKE_H

#include <assert.h>
#include <sodium.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct sig_bytes {
	uint8_t b[4096];
	size_t n;
};

/* What each field says, and what is signed where that is something else. */
struct sig_spec {
	const char *magic;
	uint32_t version;
	const char *key_type;
	size_t pk_n;
	size_t key_more;           /* bytes behind the key */
	const char *app, *app_signed;
	const char *name_space, *name_space_signed;
	const char *reserved, *reserved_signed;
	const char *hash, *hash_signed;
	const char *type;          /* of the signature */
	size_t sig_n;
	size_t sig_more, more;     /* bytes behind the signature, behind it all */
	uint8_t flags, flags_signed;
	uint32_t counter, counter_signed;
	bool other_message;
	bool sk;
};

#define SIG_ED "ssh-ed25519"
#define SIG_SK "sk-ssh-ed25519@openssh.com"
#define SIG_COMMON                                                              \
	.magic = "SSHSIG", .version = 1, .pk_n = 32, .app = "ssh:",             \
	.app_signed = "ssh:", .name_space = "polc-bundle",                      \
	.name_space_signed = "polc-bundle", .reserved = "", .reserved_signed = "", \
	.hash = "sha512", .hash_signed = "sha512", .sig_n = 64
#define SIG_GOOD SIG_COMMON, .key_type = SIG_ED, .type = SIG_ED
#define SIG_GOOD_SK                                                             \
	SIG_COMMON, .key_type = SIG_SK, .type = SIG_SK, .flags = 1,             \
	.flags_signed = 1, .counter = 7, .counter_signed = 7, .sk = true

struct sig_key {
	uint8_t pk[32], sk[64];
};

static inline struct sig_key sig_key(uint8_t seed)
{
	uint8_t bytes[32];
	struct sig_key k;

	memset(bytes, seed, sizeof(bytes));
	assert(crypto_sign_ed25519_seed_keypair(k.pk, k.sk, bytes) == 0);
	return k;
}

static inline void sig_put(struct sig_bytes *o, const void *p, size_t n)
{
	assert(o->n + n <= sizeof(o->b));
	memcpy(o->b + o->n, p, n);
	o->n += n;
}

static inline void sig_u32(struct sig_bytes *o, uint32_t v)
{
	const uint8_t b[4] = { (uint8_t)(v >> 24), (uint8_t)(v >> 16),
			       (uint8_t)(v >> 8), (uint8_t)v };

	sig_put(o, b, 4);
}

static inline void sig_string(struct sig_bytes *o, const void *p, size_t n)
{
	sig_u32(o, (uint32_t)n);
	sig_put(o, p, n);
}

static inline void sig_text(struct sig_bytes *o, const char *z)
{
	sig_string(o, z, strlen(z));
}

static inline void sig_zeros(struct sig_bytes *o, size_t n)
{
	for (size_t i = 0; i < n; i++)
		sig_put(o, "", 1);
}

static inline void sig_blob_of_key(const struct sig_spec *s, const struct sig_key *k,
				   struct sig_bytes *o)
{
	uint8_t pk[64] = { 0 };

	memcpy(pk, k->pk, 32);
	o->n = 0;
	sig_text(o, s->key_type);
	sig_string(o, pk, s->pk_n);
	if (s->sk)
		sig_text(o, s->app);
	sig_zeros(o, s->key_more);
}

/* What is signed, as PROTOCOL.sshsig and PROTOCOL.u2f say. */
static inline void sig_to_sign(const struct sig_spec *s, const uint8_t *msg, size_t n,
			       struct sig_bytes *o)
{
	uint8_t h[64], app[32], data[32];
	bool sha256 = strcmp(s->hash_signed, "sha256") == 0;

	if (sha256)
		crypto_hash_sha256(h, msg, n);
	else
		crypto_hash_sha512(h, msg, n);
	o->n = 0;
	sig_put(o, "SSHSIG", 6);
	sig_text(o, s->name_space_signed);
	sig_text(o, s->reserved_signed);
	sig_text(o, s->hash_signed);
	sig_string(o, h, sha256 ? 32 : 64);
	if (!s->sk)
		return;
	crypto_hash_sha256(app, (const uint8_t *)s->app_signed, strlen(s->app_signed));
	crypto_hash_sha256(data, o->b, o->n);
	o->n = 0;
	sig_put(o, app, 32);
	sig_put(o, &s->flags_signed, 1);
	sig_u32(o, s->counter_signed);
	sig_put(o, data, 32);
}

static inline void sig_blob(const struct sig_spec *s, const struct sig_key *k,
			    const uint8_t *msg, size_t n, struct sig_bytes *o)
{
	static const uint8_t other[] = "another message";
	struct sig_bytes part, data;
	uint8_t sig[128] = { 0 };

	if (s->other_message)
		sig_to_sign(s, other, sizeof(other), &data);
	else
		sig_to_sign(s, msg, n, &data);
	assert(crypto_sign_ed25519_detached(sig, NULL, data.b, data.n, k->sk) == 0);
	o->n = 0;
	sig_put(o, s->magic, strlen(s->magic));
	sig_u32(o, s->version);
	sig_blob_of_key(s, k, &part);
	sig_string(o, part.b, part.n);
	sig_text(o, s->name_space);
	sig_text(o, s->reserved);
	sig_text(o, s->hash);
	part.n = 0;
	sig_text(&part, s->type);
	sig_string(&part, sig, s->sig_n);
	if (s->sk) {
		sig_put(&part, &s->flags, 1);
		sig_u32(&part, s->counter);
	}
	sig_zeros(&part, s->sig_more);
	sig_string(o, part.b, part.n);
	sig_zeros(o, s->more);
}

/* In lines of 70 characters, as ssh-keygen writes them; NUL-terminated. */
static inline size_t sig_armour(const uint8_t *blob, size_t n, char out[8192])
{
	char b64[6000];
	size_t len, at;

	assert(sodium_bin2base64(b64, sizeof(b64), blob, n,
				 sodium_base64_VARIANT_ORIGINAL));
	len = strlen(b64);
	at = (size_t)sprintf(out, "-----BEGIN SSH SIGNATURE-----\n");
	for (size_t i = 0; i < len; i += 70)
		at += (size_t)sprintf(out + at, "%.70s\n", b64 + i);
	return at + (size_t)sprintf(out + at, "-----END SSH SIGNATURE-----\n");
}

static inline size_t sig_make(const struct sig_spec *s, const struct sig_key *k,
			      const void *msg, size_t n, char out[8192])
{
	struct sig_bytes blob;

	sig_blob(s, k, msg, n, &blob);
	return sig_armour(blob.b, blob.n, out);
}

/* "ssh-ed25519 AAAA…" */
static inline void sig_public(const struct sig_spec *s, const struct sig_key *k,
			      char out[512])
{
	struct sig_bytes blob;
	size_t at = (size_t)sprintf(out, "%s ", s->key_type);

	sig_blob_of_key(s, k, &blob);
	assert(sodium_bin2base64(out + at, 512 - at, blob.b, blob.n,
				 sodium_base64_VARIANT_ORIGINAL));
}

#endif
