/*
 * The words of a command pattern as a nondeterministic automaton over bytes.  A NUL
 * ends each word.  A walk carries a set of states.  Part of the reference evaluator;
 * shares no code with sets/ or the runtime.
 */
#ifndef COMPILER_EVAL_COMMAND_NFA_H
#define COMPILER_EVAL_COMMAND_NFA_H

#include "compiler/ir/ir.h"
#include "compiler/eval/match_glob.h"

/* What an edge reads. */
enum cnfa_edge_kind {
	CNFA_NOTHING,
	CNFA_BYTE,
	CNFA_ANY,     /* any byte but NUL */
	CNFA_PLAIN,   /* [A-Za-z0-9._:/@+-] */
	CNFA_NO_SLASH /* any byte but NUL and '/' */
};

#define CNFA_NO_EDGE UINT32_MAX

struct cnfa_edge {
	enum cnfa_edge_kind kind;
	uint8_t byte;
	uint32_t to, next;
};

struct cnfa {
	struct arena *a;
	VEC(uint32_t) states; /* the first edge of each state */
	VEC(struct cnfa_edge) edges;
	uint32_t start, accept;
	size_t nset;      /* length of a state set in uint64_t (one bit for each
	                     state); set by cnfa_done() */
	uint32_t *todo;   /* work list with room for all states */
	uint8_t byte[258]; /* one byte of each class of bytes; NUL is not among them */
	size_t nbytes;
};

void cnfa_init(struct cnfa *n, struct arena *a);
uint32_t cnfa_state(struct cnfa *n);
void cnfa_edge(struct cnfa *n, uint32_t from, enum cnfa_edge_kind kind, uint8_t byte,
	       uint32_t to);
/* Adds a glob after state `from`; returns the state in which it ends. */
uint32_t cnfa_glob(struct cnfa *n, const struct ir_glob *g, enum eval_bytes bytes,
		   uint32_t from);
/* In state `at`, any number of words of any bytes may be read; they lead back to `at`. */
void cnfa_any_words(struct cnfa *n, uint32_t at);
/* One word of any bytes. */
void cnfa_any_word(struct cnfa *n, uint32_t from, uint32_t to);
/*
 * A program's base name: any directory before it is skipped.  In a pattern with a '/',
 * the name may begin after any '/'.
 */
uint32_t cnfa_base_name(struct cnfa *n, const struct ir_glob *g, uint32_t from);

/* Call this last: no state or edge may be added afterwards. */
void cnfa_done(struct cnfa *n);

/* --- sets of states ---------------------------------------------------------- */

uint64_t *cnfa_set_new(const struct cnfa *n, struct arena *a);
/* Adds a state and every state that is reached from it without reading. */
void cnfa_set_add(const struct cnfa *n, uint64_t *s, uint32_t state);
bool cnfa_set_has(const uint64_t *s, uint32_t state);
bool cnfa_set_join(const struct cnfa *n, uint64_t *into, const uint64_t *from);
bool cnfa_set_same(const struct cnfa *n, const uint64_t *x, const uint64_t *y);
bool cnfa_set_is_empty(const struct cnfa *n, const uint64_t *s);
void cnfa_set_copy(const struct cnfa *n, uint64_t *to, const uint64_t *from);
/* Sets ret (which must not be `s`) to the states that `s` reaches by one byte. */
void cnfa_step(const struct cnfa *n, const uint64_t *s, uint8_t byte, uint64_t *ret);

#endif
