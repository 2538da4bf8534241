/*
 * commands.bin of std/base, as a part of the program: nearly every bundle has the same
 * facts about programs, 900 KB of which a run looks up one or two.  A bundle whose
 * manifest names the digest of these bytes is served with them: nothing is read, hashed
 * or checked anew, and only the pages that are looked at are loaded.  Another bundle
 * (other facts, or another version of the library) is served with its own.
 *
 * Made by polc when the program is built (Makefile); polc itself, libpol and the
 * variants for tests of single parts have none.
 */
#ifndef RUNTIME_BUNDLE_COMMON_BYTES_H
#define RUNTIME_BUNDLE_COMMON_BYTES_H

#include <stddef.h>
#include <stdint.h>

struct bundle_common {
	const uint8_t *data; /* aligned as a member is */
	size_t size;         /* 0: there are none */
	const char *b2;      /* the digest, 64 hexadecimal digits */
};

extern const struct bundle_common bundle_common;

#endif
