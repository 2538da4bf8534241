/* Compares what a manifest says of commands.bin with the bytes that the program has. */
#include "runtime/bundle/common.h"

#include <stdio.h>
#include <string.h>

#include "runtime/bundle/canonical.h"
#include "runtime/bundle/common_bytes.h"
#include "runtime/bundle/format.h"

bool bundle_common_is(size_t size, const uint8_t b2[32])
{
	uint8_t ours[32];

	return bundle_common.size && size == bundle_common.size &&
	       canonical_unhex(bundle_common.b2, ours) && memcmp(b2, ours, sizeof(ours)) == 0;
}

bool bundle_common_in(const void *manifest, size_t size)
{
	char line[160];
	int n = snprintf(line, sizeof(line),
			 "{\"path\": \"" PB_COMMANDS "\", \"size\": %zu, \"blake2b\": \"%s\"}",
			 bundle_common.size, bundle_common.b2);

	return bundle_common.size && n > 0 && (size_t)n < sizeof(line) &&
	       memmem(manifest, size, line, (size_t)n);
}
