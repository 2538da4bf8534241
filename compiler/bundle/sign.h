/*
 * Signatures over the manifest of a bundle.  ssh-keygen handles the key, whether it is
 * in a file, in an agent or in a hardware token.  Its signature is verified with the
 * code of the runtime before it is used.
 */
#ifndef COMPILER_BUNDLE_SIGN_H
#define COMPILER_BUNDLE_SIGN_H

#include "compiler/base/arena.h"
#include "compiler/base/str.h"
#include "compiler/diag/diag.h"
#include "runtime/bundle/reader.h"

/*
 * Runs `ssh-keygen -Y sign` over the bundle's manifest with the key file `key`: a
 * private key, or a public key whose private half is in an agent or a token.
 * False, with a message, if there is no such key, if ssh-keygen fails, or if polrun
 * would not accept the signature.
 */
bool bundle_sign(struct arena *a, const struct bundle *b, const char *key,
		 struct str *ret_text, struct diag_sink *sink);
/*
 * The bytes of the bundle with one more signature; a signature by the same key is
 * replaced.  `text` comes from bundle_sign().
 */
bool bundle_add_signature(struct arena *a, const struct bundle *b, struct str text,
			  struct str *ret_bytes, struct diag_sink *sink);

#endif
