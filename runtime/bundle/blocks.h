/*
 * The digests of a member's blocks. blocks.b2 lists the BLAKE2b-256 of each block of each
 * member that a run may read, and the manifest has the digest of this list. One digest of a
 * large member could be computed by one byte after the other only; blocks are computed
 * eight (AVX-512) or four (AVX2) at once. This is the one hash that is computed by code of
 * our own: libsodium, like every library in Debian 12, computes one digest after the other,
 * and that was three quarters of the time to open a large bundle. tests/unit/test_blocks.c
 * compares each way with libsodium, which computes the last block of a member, and all of
 * them on other processors.
 */
#ifndef RUNTIME_BUNDLE_BLOCKS_H
#define RUNTIME_BUNDLE_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BLOCKS_SIZE ((size_t)4096)

/* How several digests are computed at once. */
enum blocks_way { BLOCKS_ONE, BLOCKS_AVX2, BLOCKS_AVX512, BLOCKS_WAYS };

/* How many blocks there are in `size` bytes. The last one may be shorter; no bytes have
 * no block. */
static inline size_t blocks_count(size_t size)
{
	return size / BLOCKS_SIZE + (size % BLOCKS_SIZE != 0);
}

/* The fastest way that the processor and its kernel have. */
enum blocks_way blocks_best(void);
bool blocks_can(enum blocks_way way);

/* Are these the digests of all blocks of `data`? The processor must have the way. */
bool blocks_match(enum blocks_way way, const uint8_t *data, size_t size,
		  const uint8_t (*want)[32]);

#endif
