/* Signature members put into a bundle as they are, good or bad. */
#ifndef TESTS_UNIT_BUNDLE_SIGN_H
#define TESTS_UNIT_BUNDLE_SIGN_H

#include "runtime/bundle/sshkey.h"
#include "runtime/bundle/tar.h"
#include "tests/unit/bundle_make.h"
#include "tests/unit/sshsig_make.h"

/* The manifest of a bundle that is well formed. */
static inline struct str mk_manifest(struct str bundle)
{
	return (struct str){ bundle.p + TAR_BLOCK, strtoul(bundle.p + 124, NULL, 8) };
}

/* Where its signatures begin. */
static inline size_t mk_signatures_at(struct str bundle)
{
	return TAR_BLOCK + tar_padded(mk_manifest(bundle).n) + 2 * TAR_BLOCK;
}

/* "signatures/NAME.sshsig" of the key. */
static inline struct str mk_signature_path(struct arena *a, const struct sig_spec *s,
					   const struct sig_key *k)
{
	char name[SSHKEY_NAME_CAP] = "unnamed";
	struct sig_bytes blob;
	struct sshkey key;

	sig_blob_of_key(s, k, &blob);
	if (sshkey_parse(blob.b, blob.n, &key, NULL) == 0)
		sshkey_name(&key, name);
	return str_printf(a, "signatures/%s.sshsig", name);
}

/* Before the signatures that are there. */
static inline struct str mk_with_signature(struct arena *a, struct str bundle,
					   struct str path, struct str text)
{
	size_t at = mk_signatures_at(bundle);
	uint8_t header[TAR_BLOCK];
	struct buf b;

	tar_header(header, path.p, path.n, text.n);
	buf_init(&b, a);
	buf_str(&b, str_sub(bundle, 0, at));
	buf_add(&b, header, sizeof(header));
	buf_str(&b, text);
	buf_align(&b, TAR_BLOCK);
	buf_str(&b, str_sub(bundle, at, bundle.n - at));
	return buf_view(&b);
}

static inline struct str mk_signed(struct arena *a, struct str bundle,
				   const struct sig_spec *s, const struct sig_key *k)
{
	struct str manifest = mk_manifest(bundle);
	char text[8192];
	size_t n = sig_make(s, k, manifest.p, manifest.n, text);

	return mk_with_signature(a, bundle, mk_signature_path(a, s, k),
				 (struct str){ text, n });
}

#endif
