/*
 * Reads SSH public keys. Here a key has exactly one spelling (every length is fixed, and
 * nothing may follow). So two keys are equal if the digests of their blobs are.
 */
#include "runtime/bundle/sshkey.h"

#include <errno.h>
#include <sodium.h>
#include <string.h>

#include "runtime/base/io.h"

/* The types that OpenSSH 9 knows; any other type is a misspelling. */
static const char *const types[] = {
	SSHKEY_ED25519_NAME,
	SSHKEY_SK_ED25519_NAME,
	"ssh-rsa",
	"ssh-dss",
	"ssh-xmss@openssh.com",
	"ecdsa-sha2-nistp256",
	"ecdsa-sha2-nistp384",
	"ecdsa-sha2-nistp521",
	"sk-ecdsa-sha2-nistp256@openssh.com",
	"ssh-ed25519-cert-v01@openssh.com",
	"sk-ssh-ed25519-cert-v01@openssh.com",
	"ssh-rsa-cert-v01@openssh.com",
	"ssh-dss-cert-v01@openssh.com",
	"ecdsa-sha2-nistp256-cert-v01@openssh.com",
	"ecdsa-sha2-nistp384-cert-v01@openssh.com",
	"ecdsa-sha2-nistp521-cert-v01@openssh.com",
	"sk-ecdsa-sha2-nistp256-cert-v01@openssh.com",
};

bool ssh_wire_u8(struct ssh_wire *w, uint8_t *ret)
{
	if (w->n < 1)
		return false;
	*ret = w->p[0];
	w->p++;
	w->n--;
	return true;
}

bool ssh_wire_u32(struct ssh_wire *w, uint32_t *ret)
{
	if (w->n < 4)
		return false;
	*ret = (uint32_t)w->p[0] << 24 | (uint32_t)w->p[1] << 16 |
	       (uint32_t)w->p[2] << 8 | w->p[3];
	w->p += 4;
	w->n -= 4;
	return true;
}

bool ssh_wire_string(struct ssh_wire *w, const uint8_t **ret, size_t *ret_n)
{
	struct ssh_wire rest = *w;
	uint32_t n;

	if (!ssh_wire_u32(&rest, &n) || n > rest.n)
		return false;
	*ret = rest.p;
	*ret_n = n;
	w->p = rest.p + n;
	w->n = rest.n - n;
	return true;
}

bool ssh_wire_is(const uint8_t *p, size_t n, const char *text)
{
	return strlen(text) == n && memcmp(p, text, n) == 0;
}

bool ssh_base64(const char *text, size_t n, bool lines, uint8_t *out, size_t cap,
		size_t *ret_n)
{
	/* libsodium 1.0.18 takes some bytes past 0x7f for other characters, and ignores
	 * NUL. */
	for (size_t i = 0; i < n; i++) {
		char c = text[i];

		if (!((c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
		      (c >= '0' && c <= '9') || c == '+' || c == '/' || c == '=' ||
		      (lines && c == '\n')))
			return false;
	}
	return sodium_base642bin(out, cap, text, n, lines ? "\n" : NULL, ret_n, NULL,
				 sodium_base64_VARIANT_ORIGINAL) == 0;
}

bool sshkey_is_type(const char *name, size_t n)
{
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		if (ssh_wire_is((const uint8_t *)name, n, types[i]))
			return true;
	}
	return false;
}

int sshkey_parse(const uint8_t *blob, size_t n, struct sshkey *ret, struct rt_err *err)
{
	struct ssh_wire w = { blob, n };
	const uint8_t *type, *pk, *app;
	size_t type_n, pk_n, app_n;
	struct sshkey k = { .type = SSHKEY_ED25519 };
	char shown[80];

	if (n > SSHKEY_MAX_BLOB)
		return rt_fail(err, EBADMSG, "the public key is longer than %d bytes",
			       SSHKEY_MAX_BLOB);
	if (!ssh_wire_string(&w, &type, &type_n))
		return rt_fail(err, EBADMSG, "the public key is cut short");
	if (ssh_wire_is(type, type_n, SSHKEY_SK_ED25519_NAME)) {
		k.type = SSHKEY_SK_ED25519;
	} else if (!ssh_wire_is(type, type_n, SSHKEY_ED25519_NAME)) {
		io_escape(shown, sizeof(shown), (const char *)type, type_n);
		return rt_fail(err, EPROTONOSUPPORT,
			       "the key type '%s' is not supported: sign with "
			       "ssh-ed25519 or sk-ssh-ed25519",
			       shown);
	}
	if (!ssh_wire_string(&w, &pk, &pk_n) || pk_n != sizeof(k.pk))
		return rt_fail(err, EBADMSG, "the public key is not one of %zu bytes",
			       sizeof(k.pk));
	memcpy(k.pk, pk, sizeof(k.pk));
	if (k.type == SSHKEY_SK_ED25519) {
		if (!ssh_wire_string(&w, &app, &app_n) || memchr(app, 0, app_n))
			return rt_fail(err, EBADMSG,
				       "the public key names no application");
		(void)crypto_hash_sha256(k.app_hash, app, app_n);
	}
	if (w.n)
		return rt_fail(err, EBADMSG, "bytes follow the public key");
	(void)crypto_hash_sha256(k.id, blob, n);
	*ret = k;
	return 0;
}

bool sshkey_equal(const struct sshkey *a, const struct sshkey *b)
{
	return memcmp(a->id, b->id, sizeof(a->id)) == 0;
}

void sshkey_fingerprint(const struct sshkey *k, char out[SSHKEY_FINGERPRINT_CAP])
{
	memcpy(out, "SHA256:", 7);
	(void)sodium_bin2base64(out + 7, SSHKEY_FINGERPRINT_CAP - 7, k->id,
				sizeof(k->id),
				sodium_base64_VARIANT_ORIGINAL_NO_PADDING);
}

void sshkey_name(const struct sshkey *k, char out[SSHKEY_NAME_CAP])
{
	(void)sodium_bin2base64(out, SSHKEY_NAME_CAP, k->id, sizeof(k->id),
				sodium_base64_VARIANT_URLSAFE_NO_PADDING);
}
