/*
 * manifest.json in its one canonical form: keys in a fixed order, one layout, one
 * spelling of each value (doc/bundle-format.md). A manifest that differs in one byte is
 * refused. So the signed bytes have one meaning, and no JSON library is needed here.
 */
#ifndef RUNTIME_BUNDLE_MANIFEST_H
#define RUNTIME_BUNDLE_MANIFEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/base/err.h"
#include "runtime/bundle/changes.h"

#define MANIFEST_MAX_BYTES ((size_t)4 * 1024 * 1024)
#define MANIFEST_MAX_NAME 127
#define MANIFEST_MAX_FEATURES 64
#define MANIFEST_NO_TIME INT64_MIN

/* Views into the manifest's bytes; paths are not NUL-terminated. */
struct manifest_member {
	const char *path;
	size_t path_len;
	uint64_t size;
	uint8_t b2[32];
};

/* A text that the bundle was compiled from. */
struct manifest_source {
	const char *name; /* as it was named to polc, JSON's escapes in it */
	size_t name_len;
	uint8_t level; /* enum pb_level */
	uint8_t b2[32];
};

struct manifest {
	uint64_t format; /* PB_BUNDLE_FORMAT_FIRST to PB_BUNDLE_FORMAT */
	char name[MANIFEST_MAX_NAME + 1];
	uint64_t serial;
	char previous[65];  /* hex SHA-256 of the preceding manifest, or "" */
	uint32_t levels;    /* bits 1 << enum pb_level, one for each level of a source */
	uint32_t threshold; /* of `keys`: 0 (no signature is required) or 1 */
	/* Seconds since 1970, or MANIFEST_NO_TIME. not_before is the first second of its
	 * day, not_after the last second of its day. */
	int64_t created, not_before, not_after;
	struct manifest_member *members; /* malloc'ed */
	size_t nmembers;
	struct manifest_source *sources; /* malloc'ed */
	size_t nsources;
	bool nft_batch; /* the manifest says that there is an nft.batch */
	struct changes *changes; /* malloc'ed; NULL: it has no change statement */
};

/* Returns 0, or -errno with the byte offset in the message. On success the caller
 * releases *ret. */
int manifest_parse(const uint8_t *bytes, size_t size, struct manifest *ret,
		   struct rt_err *err);
void manifest_release(struct manifest *m);

#endif
