/* Sparse sets of numbers, in memory of the caller. Internal to decide/. */
#ifndef RUNTIME_DECIDE_BITS_H
#define RUNTIME_DECIDE_BITS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/*
 * A sparse set. `top` has a bit for each element of `word` that is not 0, and only those
 * elements are cleared. So clearing costs a bit for each 64 numbers, and visiting costs
 * one step for each member.
 */
struct bits {
	uint64_t *top, *word;
	uint32_t ntop; /* elements of top; `word` has 64 times as many */
};

#define BITS_NONE UINT32_MAX
#define BITS_TOP(count) ((uint32_t)((count) / 4096u + 1u))
/* Elements of memory for numbers below `count`: first those of top, then those of
 * word. */
#define BITS_WORDS(count) (BITS_TOP(count) * 65u)

static inline void bits_clear(struct bits *b)
{
	memset(b->top, 0, b->ntop * sizeof(*b->top));
}

static inline void bits_make(struct bits *b, uint64_t *mem, uint32_t count)
{
	*b = (struct bits){ mem, mem + BITS_TOP(count), BITS_TOP(count) };
	bits_clear(b);
}

static inline bool bits_has(const struct bits *b, uint32_t i)
{
	return (b->top[i / 4096] >> (i / 64 % 64) & 1) &&
	       (b->word[i / 64] >> (i % 64) & 1);
}

static inline void bits_add(struct bits *b, uint32_t i)
{
	uint64_t here = (uint64_t)1 << (i / 64 % 64);

	if (!(b->top[i / 4096] & here)) {
		b->top[i / 4096] |= here;
		b->word[i / 64] = 0;
	}
	b->word[i / 64] |= (uint64_t)1 << (i % 64);
}

/* The first member from `from` on, or BITS_NONE. */
static inline uint32_t bits_next(const struct bits *b, uint32_t from)
{
	uint32_t w = from / 64, t = w / 64;
	uint64_t left;

	if (t >= b->ntop)
		return BITS_NONE;
	if ((b->top[t] >> (w % 64) & 1) && (left = b->word[w] >> (from % 64)))
		return from + (uint32_t)__builtin_ctzll(left);
	for (w++, t = w / 64; t < b->ntop; w = ++t * 64) {
		left = b->top[t] >> (w % 64);
		if (!left)
			continue;
		w += (uint32_t)__builtin_ctzll(left);
		return w * 64 + (uint32_t)__builtin_ctzll(b->word[w]);
	}
	return BITS_NONE;
}

#define BITS_EACH(b, i)                                                                \
	for ((i) = bits_next((b), 0); (i) != BITS_NONE; (i) = bits_next((b), (i) + 1))

#endif
