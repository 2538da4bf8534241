/* Sets of bytes, as 256 bits.  All functions work on values; nothing is allocated. */
#ifndef COMPILER_SETS_BYTES_H
#define COMPILER_SETS_BYTES_H

#include <stdbool.h>
#include <stdint.h>

struct set_bytes { uint64_t w[4]; };

static inline bool set_bytes_has(const struct set_bytes *b, uint32_t c)
{
	return b->w[c >> 6] >> (c & 63) & 1;
}

static inline bool set_bytes_any(const struct set_bytes *b)
{
	return b->w[0] | b->w[1] | b->w[2] | b->w[3];
}

/* Adds the bytes from..to, both included. */
static inline void set_bytes_add(struct set_bytes *b, unsigned from, unsigned to)
{
	for (; from <= to; from++)
		b->w[from >> 6] |= (uint64_t)1 << (from & 63);
}

static inline void set_bytes_drop(struct set_bytes *b, uint8_t c)
{
	b->w[c >> 6] &= ~((uint64_t)1 << (c & 63));
}

static inline struct set_bytes set_bytes_not(struct set_bytes b)
{
	return (struct set_bytes){ { ~b.w[0], ~b.w[1], ~b.w[2], ~b.w[3] } };
}

#endif
