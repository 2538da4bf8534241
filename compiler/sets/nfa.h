/*
 * Position automata (Glushkov) of several languages at once, over classes of bytes that
 * they share.  Internal to sets/.
 *
 * Each language has one or two parts: its expression and what is subtracted from it.  A
 * part has a start position, and one position for each class of bytes in the
 * expression.  The positions of a language are consecutive, those of its expression
 * first.  So a sorted set of positions is sorted by language and part.
 */
#ifndef COMPILER_SETS_NFA_H
#define COMPILER_SETS_NFA_H

#include "compiler/sets/automaton.h"

struct nfa_pos {
	struct set_bytes bytes; /* a set of bytes; after nfa_seal() a set of classes */
	VEC(uint32_t) follow;   /* sorted by nfa_seal() */
	uint32_t lang;
	bool minus; /* belongs to what is subtracted */
	bool last;  /* a member may end here */
};

struct nfa {
	struct arena *a;
	VEC(struct nfa_pos) pos;
	VEC(uint32_t) starts; /* the start position of each part */
	uint32_t nlangs;
	uint8_t cls[256];
	uint32_t ncls;
	uint8_t rep[256]; /* a readable byte for each class */
	/* For each language from which nothing is subtracted, a position after which every
	 * text over its bytes is in the language, or NFA_NONE.  In a set that has this
	 * position, the language's other positions do not matter. */
	uint32_t *whole;
	/* For each position: is it one like that?  In what is subtracted it is one after
	 * which nothing is left of the language. */
	bool *is_whole;
};

#define NFA_NONE UINT32_MAX

void nfa_init(struct nfa *n, struct arena *a);
/* Adds a language; the first one has number 0. */
void nfa_add(struct nfa *n, const struct set_re *re, const struct set_re *minus);
/*
 * Computes the classes and sorts the lists of what follows; nothing may be added
 * afterwards.
 */
void nfa_seal(struct nfa *n);

/* Does this set accept for the language (its expression, and not what is subtracted)? */
bool nfa_accepts(const struct nfa *n, const uint32_t *set, size_t count,
		 uint32_t lang);
/* How readable a byte is in a witness: larger is better. */
unsigned nfa_readable(uint8_t c);

#endif
