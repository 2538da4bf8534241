/* Is a bundle's commands.bin the one that is a part of the program (common_bytes.h)? */
#ifndef RUNTIME_BUNDLE_COMMON_H
#define RUNTIME_BUNDLE_COMMON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* True if the manifest's digest of a commands.bin of `size` is that of our bytes. */
bool bundle_common_is(size_t size, const uint8_t b2[32]);
/* The same, said by the text of a manifest that nobody has checked yet. */
bool bundle_common_in(const void *manifest, size_t size);

#endif
