/*
 * Signatures over a bundle's manifest.  The key, be it in a file, in an agent
 * or in a hardware token, is ssh-keygen's business: it is run, and what it
 * gives is verified with the runtime's own code before it is used.
 */
#ifndef COMPILER_BUNDLE_SIGN_H
#define COMPILER_BUNDLE_SIGN_H

#include "compiler/base/arena.h"
#include "compiler/base/str.h"
#include "compiler/diag/diag.h"
#include "runtime/bundle/reader.h"

/*
 * `ssh-keygen -Y sign` with the key file `key` (a private key, or a public
 * one whose private half an agent or a token has) over the bundle's manifest.
 * False, with a message, where there is no such key, where ssh-keygen fails,
 * or where polrun would not accept what it gave.
 */
bool bundle_sign(struct arena *a, const struct bundle *b, const char *key,
		 struct str *ret_text, struct diag_sink *sink);
/*
 * The bundle's bytes with one signature more, or another in place of the one
 * that the same key made.  `text` is what bundle_sign() gave.
 */
bool bundle_add_signature(struct arena *a, const struct bundle *b, struct str text,
			  struct str *ret_bytes, struct diag_sink *sink);

#endif
