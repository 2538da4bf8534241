/*
 * Deterministic automata as a bundle holds them, and a walk through one. The bundle's
 * reader has checked the tables (runtime/bundle/check.h), so a walk checks nothing. No
 * allocation.
 */
#ifndef RUNTIME_BASE_AUTOMATON_H
#define RUNTIME_BASE_AUTOMATON_H

#include "runtime/base/record.h"

/*
 * An automaton reads the rest of a path under a root (compiler/ir/set.h defines it), a tool's
 * name, an abstract socket name, or a text that may be code. A kind may have several
 * automata: the tags of all count, minus the rules that are tags of an automaton with
 * `except`. Offsets count from the member's first byte.
 */
struct pb_automaton {
	uint8_t kind;     /* PB_FILE, PB_UNIX, PB_TOOL, PB_RISK (for tools); PB_COMMAND in
	                     the tables of commands */
	uint8_t root;     /* PB_FILE, PB_UNIX: enum pb_root */
	uint8_t abstract; /* PB_UNIX: it reads abstract names */
	uint8_t zero;
	uint32_t nstates, nclasses, start; /* state 0 is dead */
	uint32_t cls;     /* offset of 256 bytes: byte -> class */
	uint32_t states;  /* offset of nstates + 1 struct pb_state */
	uint32_t moves, nmoves; /* offset of u32: PB_MOVE(class, state) */
	uint32_t set_at, nsets; /* offset of nsets + 1 u32: into tags */
	uint32_t tags, ntags;   /* offset of u32 rule numbers, sorted per set */
	uint32_t except;  /* not 0: its tags name rules that do not match (an exception
	                     under another root than the rule's); for files the pb_op bits
	                     to which this applies, else 1 */
	uint32_t hides;   /* 1: a rule among its tags hides, or denies reading; only set
	                     in table automata */
};

/*
 * Most classes of a state lead to one other state, so only the rest is listed: from
 * moves[s.moves] up to where the next state's moves begin, by ascending class. The record
 * after the last state only ends the moves.
 */
struct pb_state {
	uint32_t moves; /* index of the first move */
	uint32_t other; /* the state to which all other classes lead */
	uint32_t set;   /* number of its set of rule numbers; set 0 is empty */
};

#define PB_MOVE(class, state) ((uint32_t)(class) << 24 | (uint32_t)(state))
#define PB_MOVE_CLASS(move) ((move) >> 24)
#define PB_MOVE_STATE(move) ((move) & 0xffffffu)
#define PB_MAX_STATES 0xffffffu

_Static_assert(sizeof(struct pb_automaton) == 56, "pb_automaton");
_Static_assert(sizeof(struct pb_state) == 12, "pb_state");

struct dfa_walk {
	const void *member; /* the member that holds the automaton */
	const struct pb_automaton *a;
	uint32_t state;
};

void dfa_start(struct dfa_walk *w, const void *member, const struct pb_automaton *a);
void dfa_feed(struct dfa_walk *w, const char *p, size_t n);
/* The number of the current state's set of tags; and the tags of a set, sorted. */
uint32_t dfa_set_of(const struct dfa_walk *w);
const uint32_t *dfa_set(const void *member, const struct pb_automaton *a, uint32_t set,
			uint32_t *ret_n);
/* The tags of the current state. */
const uint32_t *dfa_tags(const struct dfa_walk *w, uint32_t *ret_n);

#endif
