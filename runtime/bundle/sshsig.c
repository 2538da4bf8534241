/*
 * Reads and verifies SSHSIG signatures. The signed data is rebuilt from the message and
 * our own namespace, and never taken from the signature. So a false field only makes the
 * verification fail.
 */
#include "runtime/bundle/sshsig.h"

#include <errno.h>
#include <sodium.h>
#include <string.h>

#include "runtime/base/io.h"

#define BEGIN "-----BEGIN SSH SIGNATURE-----\n"
#define END "\n-----END SSH SIGNATURE-----\n"
#define MAGIC "SSHSIG"

enum { VERSION = 1, SK_USER_PRESENT = 0x01, MAX_HASH = 64, MAX_SIGNED = 160 };

int sshsig_dearmour(const uint8_t *text, size_t n, uint8_t *blob, size_t *ret_n,
		    struct rt_err *err)
{
	const size_t head = strlen(BEGIN), foot = strlen(END);
	const char *body = (const char *)text + head;

	if (n > SSHSIG_MAX_ARMOUR)
		return rt_fail(err, EFBIG, "it is longer than %d bytes",
			       SSHSIG_MAX_ARMOUR);
	if (n < head || memcmp(text, BEGIN, head) != 0)
		return rt_fail(err, EBADMSG,
			       "it does not begin with 'BEGIN SSH SIGNATURE'");
	if (n < head + foot || memcmp(text + n - foot, END, foot) != 0)
		return rt_fail(err, EBADMSG,
			       "it does not end with 'END SSH SIGNATURE'");
	if (!ssh_base64(body, n - head - foot, true, blob, SSHSIG_MAX_BLOB, ret_n))
		return rt_fail(err, EBADMSG, "it is not base64");
	return 0;
}

static int cut_short(struct rt_err *err)
{
	return rt_fail(err, EBADMSG, "it is cut short");
}

static int parse_hash(const uint8_t *p, size_t n, enum sshsig_hash *ret,
		      struct rt_err *err)
{
	char shown[40];

	if (ssh_wire_is(p, n, "sha512")) {
		*ret = SSHSIG_SHA512;
		return 0;
	}
	if (ssh_wire_is(p, n, "sha256")) {
		*ret = SSHSIG_SHA256;
		return 0;
	}
	io_escape(shown, sizeof(shown), (const char *)p, n);
	return rt_fail(err, EPROTONOSUPPORT,
		       "its hash algorithm '%s' is neither sha512 nor sha256", shown);
}

/* Reads the innermost part: the algorithm's name, 64 bytes, and what a hardware token
 * adds. */
static int parse_inner(struct ssh_wire w, struct sshsig *s, struct rt_err *err)
{
	bool sk = s->key.type == SSHKEY_SK_ED25519;
	const uint8_t *type;
	size_t type_n, sig_n;
	char shown[80];

	if (!ssh_wire_string(&w, &type, &type_n))
		return cut_short(err);
	if (!ssh_wire_is(type, type_n,
			 sk ? SSHKEY_SK_ED25519_NAME : SSHKEY_ED25519_NAME)) {
		io_escape(shown, sizeof(shown), (const char *)type, type_n);
		return rt_fail(err, EBADMSG,
			       "its algorithm '%s' is not the one of its key", shown);
	}
	if (!ssh_wire_string(&w, &s->sig, &sig_n))
		return cut_short(err);
	if (sig_n != crypto_sign_ed25519_BYTES)
		return rt_fail(err, EBADMSG, "it has %zu bytes instead of %u", sig_n,
			       crypto_sign_ed25519_BYTES);
	if (sk && (!ssh_wire_u8(&w, &s->flags) || !ssh_wire_u32(&w, &s->counter)))
		return cut_short(err);
	if (w.n)
		return rt_fail(err, EBADMSG, "bytes follow it inside of its field");
	return 0;
}

int sshsig_parse(const uint8_t *blob, size_t n, struct sshsig *ret, struct rt_err *err)
{
	const size_t magic = strlen(MAGIC);
	struct ssh_wire w = { blob, n };
	struct sshsig s = { .sig = NULL };
	const uint8_t *key, *reserved, *hash, *inner;
	size_t key_n, reserved_n, hash_n, inner_n;
	uint32_t version;
	int r;

	if (n < magic || memcmp(blob, MAGIC, magic) != 0)
		return rt_fail(err, EBADMSG, "it does not begin with '" MAGIC "'");
	w.p += magic;
	w.n -= magic;
	if (!ssh_wire_u32(&w, &version))
		return cut_short(err);
	if (version != VERSION)
		return rt_fail(err, EPROTONOSUPPORT, "its version is %u, not %d",
			       version, VERSION);
	/* `reserved` is for later versions; a reader of this version ignores it. */
	if (!ssh_wire_string(&w, &key, &key_n) ||
	    !ssh_wire_string(&w, &s.name_space, &s.name_space_n) ||
	    !ssh_wire_string(&w, &reserved, &reserved_n) ||
	    !ssh_wire_string(&w, &hash, &hash_n) ||
	    !ssh_wire_string(&w, &inner, &inner_n))
		return cut_short(err);
	if (w.n)
		return rt_fail(err, EBADMSG, "bytes follow it");
	r = sshkey_parse(key, key_n, &s.key, err);
	if (r == 0)
		r = parse_hash(hash, hash_n, &s.hash, err);
	if (r == 0)
		r = parse_inner((struct ssh_wire){ inner, inner_n }, &s, err);
	if (r == 0)
		*ret = s;
	return r;
}

/* --- verification ---------------------------------------- */

struct out {
	uint8_t b[MAX_SIGNED];
	size_t n;
};

static void put(struct out *o, const void *p, size_t n)
{
	memcpy(o->b + o->n, p, n);
	o->n += n;
}

static void put_string(struct out *o, const void *p, size_t n)
{
	const uint8_t len[4] = { 0, 0, 0, (uint8_t)n };

	put(o, len, sizeof(len));
	put(o, p, n);
}

/* Magic, namespace, an empty `reserved`, hash algorithm, hash of the message. */
static void signed_data(const struct sshsig *s, const uint8_t *msg, size_t n,
			struct out *o)
{
	const char *name = s->hash == SSHSIG_SHA256 ? "sha256" : "sha512";
	uint8_t hash[MAX_HASH];
	size_t hash_n;

	_Static_assert(sizeof(MAGIC) + sizeof(SSHSIG_NAMESPACE) + 6 + MAX_HASH + 16 <
			       MAX_SIGNED,
		       "it fits");
	if (s->hash == SSHSIG_SHA256) {
		(void)crypto_hash_sha256(hash, msg, n);
		hash_n = crypto_hash_sha256_BYTES;
	} else {
		(void)crypto_hash_sha512(hash, msg, n);
		hash_n = crypto_hash_sha512_BYTES;
	}
	o->n = 0;
	put(o, MAGIC, strlen(MAGIC));
	put_string(o, SSHSIG_NAMESPACE, strlen(SSHSIG_NAMESPACE));
	put_string(o, "", 0);
	put_string(o, name, strlen(name));
	put_string(o, hash, hash_n);
}

/* What a token signs instead: the digests of the application and of the data. */
static void token_data(const struct sshsig *s, struct out *o)
{
	const uint32_t c = s->counter;
	const uint8_t counter[4] = { (uint8_t)(c >> 24), (uint8_t)(c >> 16),
				     (uint8_t)(c >> 8), (uint8_t)c };
	uint8_t hash[crypto_hash_sha256_BYTES];

	(void)crypto_hash_sha256(hash, o->b, o->n);
	o->n = 0;
	put(o, s->key.app_hash, sizeof(s->key.app_hash));
	put(o, &s->flags, 1);
	put(o, counter, sizeof(counter));
	put(o, hash, sizeof(hash));
}

static int verify(const struct sshsig *s, const uint8_t *msg, size_t n,
		  struct rt_err *err)
{
	struct out o;
	char shown[80];

	if (!ssh_wire_is(s->name_space, s->name_space_n, SSHSIG_NAMESPACE)) {
		io_escape(shown, sizeof(shown), (const char *)s->name_space,
			  s->name_space_n);
		return rt_fail(err, EKEYREJECTED,
			       "its namespace is '%s', not '" SSHSIG_NAMESPACE "'",
			       shown);
	}
	signed_data(s, msg, n, &o);
	if (s->key.type == SSHKEY_SK_ED25519)
		token_data(s, &o);
	if (crypto_sign_ed25519_verify_detached(s->sig, o.b, o.n, s->key.pk) != 0)
		return rt_fail(err, EKEYREJECTED,
			       "it is not that of its key over this manifest");
	if (s->key.type == SSHKEY_SK_ED25519 && !(s->flags & SK_USER_PRESENT))
		return rt_fail(err, EKEYREJECTED,
			       "nobody touched the hardware key that made it");
	return 0;
}

int sshsig_check(const uint8_t *text, size_t n, const uint8_t *msg, size_t msg_n,
		 struct sshkey *ret_key, struct rt_err *err)
{
	uint8_t blob[SSHSIG_MAX_BLOB];
	struct sshsig s;
	size_t blob_n = 0;
	int r;

	r = sshsig_dearmour(text, n, blob, &blob_n, err);
	if (r == 0)
		r = sshsig_parse(blob, blob_n, &s, err);
	if (r == 0)
		r = verify(&s, msg, msg_n, err);
	if (r == 0)
		*ret_key = s.key;
	return r;
}
