/*
 * Computes digests of blocks, several at once where the processor can. tests/unit/
 * test_blocks.c compares each way with libsodium.
 */
#include "runtime/bundle/blocks.h"

#include <sodium.h>
#include <string.h>
#include <sys/platform/x86.h>

/* RFC 7693, 2.6 and 2.7. */
static const uint64_t start[8] = {
	0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
	0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179
};
static const uint8_t order[12][16] = {
	{ 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 },
	{ 14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3 },
	{ 11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4 },
	{ 7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8 },
	{ 9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13 },
	{ 2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9 },
	{ 12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11 },
	{ 13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10 },
	{ 6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5 },
	{ 10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0 },
	{ 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 },
	{ 14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3 }
};
/* no key, a digest of 32 bytes, one text */
#define PARAMETERS 0x01010020u

#define ROTATE(x, n) ((x) >> (n) | (x) << (64 - (n)))
#define MIX(a, b, c, d, x, y)              \
	do {                               \
		a += b + (x);              \
		d = ROTATE_BYTES(d ^ a, 4); \
		c += d;                    \
		b = ROTATE_BYTES(b ^ c, 3); \
		a += b + (y);              \
		d = ROTATE_BYTES(d ^ a, 2); \
		c += d;                    \
		b = ROTATE(b ^ c, 63);     \
	} while (0)

#define NAME eight
#define LANES 8
#define VECTOR vector8
#define TARGET "avx512f"
#define ROTATE_BYTES(x, n) ROTATE(x, 8 * (n))
#include "runtime/bundle/blocks_lanes.inc"
#undef NAME
#undef LANES
#undef VECTOR
#undef TARGET
#undef ROTATE_BYTES

/* AVX2 has no instruction that rotates, but one that permutes bytes. */
typedef uint8_t bytes32 __attribute__((vector_size(32)));
#define FROM(at, n) (at) + (n) % 8, (at) + (1 + (n)) % 8, (at) + (2 + (n)) % 8, \
		    (at) + (3 + (n)) % 8, (at) + (4 + (n)) % 8, (at) + (5 + (n)) % 8, \
		    (at) + (6 + (n)) % 8, (at) + (7 + (n)) % 8

#define NAME four
#define LANES 4
#define VECTOR vector4
#define TARGET "avx2"
#define ROTATE_BYTES(x, n)                                                     \
	(vector4) __builtin_shufflevector((bytes32)(x), (bytes32)(x), FROM(0, n),      \
					  FROM(8, n), FROM(16, n), FROM(24, n))
#include "runtime/bundle/blocks_lanes.inc"

/* The processor was asked when the program was started; asking it again can leave a virtual
 * machine, which takes microseconds. */
bool blocks_can(enum blocks_way way)
{
	switch (way) {
	case BLOCKS_ONE:
		return true;
	case BLOCKS_AVX2:
		return CPU_FEATURE_ACTIVE(AVX2);
	case BLOCKS_AVX512:
		return CPU_FEATURE_ACTIVE(AVX512F);
	case BLOCKS_WAYS:
		break;
	}
	return false;
}

enum blocks_way blocks_best(void)
{
	return blocks_can(BLOCKS_AVX512) ? BLOCKS_AVX512 :
	       blocks_can(BLOCKS_AVX2)   ? BLOCKS_AVX2 : BLOCKS_ONE;
}

static bool one_matches(const uint8_t *data, size_t size, const uint8_t want[32])
{
	uint8_t is[32];

	(void)crypto_generichash(is, sizeof(is), data, size, NULL, 0);
	return memcmp(is, want, sizeof(is)) == 0;
}

/* Whole blocks, 1 to `lanes`. Lanes without a block compute the first one again. */
static bool lanes_match(size_t lanes, const uint8_t *data, size_t n,
			const uint8_t (*want)[32])
{
	size_t at[8] = { 0 };
	uint8_t is[8][32];

	for (size_t k = 0; k < n; k++)
		at[k] = k * BLOCKS_SIZE;
	if (lanes == 8)
		eight(data, at, BLOCKS_SIZE, is);
	else
		four(data, at, BLOCKS_SIZE, is);
	return memcmp(is, want, n * sizeof(is[0])) == 0;
}

bool blocks_match(enum blocks_way way, const uint8_t *data, size_t size,
		  const uint8_t (*want)[32])
{
	size_t lanes = way == BLOCKS_AVX512 ? 8 : way == BLOCKS_AVX2 ? 4 : 1;
	size_t whole = size / BLOCKS_SIZE, i, n;
	bool ok = true;

	for (i = 0; ok && i < whole; i += n) {
		n = whole - i < lanes ? whole - i : lanes;
		ok = n > 1 ? lanes_match(lanes, data + i * BLOCKS_SIZE, n, want + i) :
			     one_matches(data + i * BLOCKS_SIZE, BLOCKS_SIZE, want[i]);
	}
	if (!ok || size % BLOCKS_SIZE == 0)
		return ok;
	return one_matches(data + whole * BLOCKS_SIZE, size % BLOCKS_SIZE, want[whole]);
}
