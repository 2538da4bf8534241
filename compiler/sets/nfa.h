/*
 * Position automata (Glushkov) of several languages at once, over the byte
 * classes that they share.  Internal to sets/.
 *
 * Each language has one or two parts, its expression and what is taken off;
 * a part is a start position and one position for each class of bytes in the
 * expression.  The positions of a language are consecutive, its expression's
 * first: a sorted set of positions is sorted by language and part.
 */
#ifndef COMPILER_SETS_NFA_H
#define COMPILER_SETS_NFA_H

#include "compiler/sets/automaton.h"

struct nfa_pos {
	struct set_bytes bytes; /* of bytes, then (nfa_seal) of classes */
	VEC(uint32_t) follow;   /* sorted after nfa_seal */
	uint32_t lang;
	bool minus; /* belongs to what is taken off */
	bool last;  /* a member may end here */
};

struct nfa {
	struct arena *a;
	VEC(struct nfa_pos) pos;
	VEC(uint32_t) starts; /* start position of each part */
	uint32_t nlangs;
	uint8_t cls[256];
	uint32_t ncls;
	uint8_t rep[256]; /* a readable byte of each class */
	/* Of each language a position behind which every text over its bytes is in it, or
	 * NFA_NONE: whatever else stands beside such a one says nothing. */
	uint32_t *whole;
	bool *is_whole; /* of each position */
};

#define NFA_NONE UINT32_MAX

void nfa_init(struct nfa *n, struct arena *a);
/* Adds a language; its number is the count of those before it. */
void nfa_add(struct nfa *n, const struct set_re *re, const struct set_re *minus);
/* Computes the classes and sorts what follows; nothing is added after it. */
void nfa_seal(struct nfa *n);

static inline bool nfa_has(const struct set_bytes *b, uint32_t i)
{
	return b->w[i >> 6] >> (i & 63) & 1;
}

/* Is the language taken (expression, not what is taken off) by this set? */
bool nfa_accepts(const struct nfa *n, const uint32_t *set, size_t count,
		 uint32_t lang);
/* How well a byte reads in a witness: larger is better. */
unsigned nfa_readable(uint8_t c);

#endif
