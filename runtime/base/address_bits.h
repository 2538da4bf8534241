/* Blocks of addresses: 16 bytes, v4 as v4-mapped (::ffff:a.b.c.d). */
#ifndef RUNTIME_BASE_ADDRESS_BITS_H
#define RUNTIME_BASE_ADDRESS_BITS_H

#include <endian.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Are the first `bits` bits, 0 to 128, of both addresses the same?  An analysis asks this some
 * hundred million times, so it is read as two numbers. */
static inline bool address_same_bits(const uint8_t a[16], const uint8_t b[16], unsigned bits)
{
	uint64_t x[2], y[2];

	memcpy(x, a, sizeof(x));
	memcpy(y, b, sizeof(y));
	x[0] = be64toh(x[0] ^ y[0]);
	x[1] = be64toh(x[1] ^ y[1]);
	if (bits <= 64)
		return bits == 0 || x[0] >> (64 - bits) == 0;
	return x[0] == 0 && x[1] >> (128 - bits) == 0;
}

#endif
