/*
 * Deterministic automata as a bundle holds them, and a walk through one.  The
 * bundle's reader has checked the tables (runtime/bundle/check.h), so a walk
 * checks nothing.  No allocation.
 */
#ifndef RUNTIME_BASE_AUTOMATON_H
#define RUNTIME_BASE_AUTOMATON_H

#include "runtime/base/record.h"

/*
 * Over the rest of a path under a root (ir.h says what the rest is), a tool
 * name, an abstract socket name, a text that may be code.  One kind may have
 * several automata: the tags of all count, but for rules that an automaton with
 * `except` set tags.  Offsets count from the member's first byte.
 */
struct pb_automaton {
	uint8_t kind;     /* PB_FILE, PB_UNIX, PB_TOOL, PB_RISK (of tools); of the tables
	                     of commands PB_COMMAND */
	uint8_t root;     /* PB_FILE, PB_UNIX: enum pb_root */
	uint8_t abstract; /* PB_UNIX: over abstract names */
	uint8_t zero;
	uint32_t nstates, nclasses, start; /* state 0 is dead */
	uint32_t cls;     /* offset of 256 bytes: byte -> class */
	uint32_t states;  /* offset of nstates + 1 struct pb_state */
	uint32_t moves, nmoves; /* offset of u32: PB_MOVE(class, state) */
	uint32_t set_at, nsets; /* offset of nsets + 1 u32: into tags */
	uint32_t tags, ntags;   /* offset of u32 rule numbers, sorted per set */
	uint32_t except;  /* not 0: its tags name rules that do not match (an
	                     exception under another root than the rule's); for
	                     files the pb_op bits for which it holds, else 1 */
	uint32_t hides;   /* 1: a rule of its tags hides, or denies reading; of the table
	                     automata only */
};

/*
 * Most classes lead from a state to one other, so only the rest is listed:
 * moves[s.moves] up to where the next state's begin, by ascending class.  The
 * record behind the last state only ends the moves.
 */
struct pb_state {
	uint32_t moves; /* the first of them */
	uint32_t other; /* the state that all other classes lead to */
	uint32_t set;   /* of rule numbers; 0 is the empty one */
};

#define PB_MOVE(class, state) ((uint32_t)(class) << 24 | (uint32_t)(state))
#define PB_MOVE_CLASS(move) ((move) >> 24)
#define PB_MOVE_STATE(move) ((move) & 0xffffffu)
#define PB_MAX_STATES 0xffffffu

_Static_assert(sizeof(struct pb_automaton) == 56, "pb_automaton");
_Static_assert(sizeof(struct pb_state) == 12, "pb_state");

struct dfa_walk {
	const void *member; /* that holds the automaton */
	const struct pb_automaton *a;
	uint32_t state;
};

void dfa_start(struct dfa_walk *w, const void *member, const struct pb_automaton *a);
void dfa_feed(struct dfa_walk *w, const char *p, size_t n);
/* The tags of the state at hand. */
const uint32_t *dfa_tags(const struct dfa_walk *w, uint32_t *ret_n);

#endif
