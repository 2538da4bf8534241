/*
 * Regular languages over bytes: position NFAs over classes of bytes, DFAs,
 * minimisation, and inclusion decided on the fly with antichains and a shortest
 * witness.
 *
 * A language is built as an expression (set_re) and belongs to an arena.
 */
#ifndef COMPILER_SETS_AUTOMATON_H
#define COMPILER_SETS_AUTOMATON_H

#include "compiler/base/arena.h"
#include "compiler/base/str.h"
#include "compiler/base/vec.h"
#include "compiler/sets/bytes.h"

/* --- expressions ------------------------------------------------------- */

enum set_re_op {
	SET_EMPTY, /* the empty language */
	SET_EPS,
	SET_CLASS,
	SET_CAT,
	SET_OR,
	SET_STAR,
	SET_GRAPH
};

struct set_graph;

struct set_re {
	enum set_re_op op;
	struct set_bytes bytes;        /* for SET_CLASS */
	struct set_re *a, *b;          /* for SET_CAT, SET_OR; SET_STAR uses only a */
	const struct set_graph *graph; /* for SET_GRAPH */
};

/*
 * A position automaton as a leaf, for languages whose expression would be many times
 * larger.  A member begins at a position of `first`, goes on as `follow` says, and ends
 * at a position that is `last`.
 */
struct set_graph_pos {
	struct set_bytes bytes;
	const uint32_t *follow; /* several positions may share one list */
	uint32_t nfollow;
	bool last;
};

struct set_graph {
	const struct set_graph_pos *pos;
	uint32_t n;
	const uint32_t *first;
	uint32_t nfirst;
	bool nullable;
};

struct set_re *set_none(struct arena *a);
struct set_re *set_eps(struct arena *a);
struct set_re *set_byte(struct arena *a, uint8_t c);
struct set_re *set_class(struct arena *a, struct set_bytes b);
struct set_re *set_lit(struct arena *a, struct str s);
struct set_re *set_cat(struct arena *a, struct set_re *x, struct set_re *y);
struct set_re *set_or(struct arena *a, struct set_re *x, struct set_re *y);
struct set_re *set_star(struct arena *a, struct set_re *x);
/*
 * Copies the positions that lie on a way to a member; the argument may be freed
 * afterwards.
 */
struct set_re *set_from_graph(struct arena *a, const struct set_graph *g);
/* Joins many at once, by halving: the depth of the expression stays logarithmic. */
struct set_re *set_cat_all(struct arena *a, struct set_re *const *v, size_t n);
struct set_re *set_or_all(struct arena *a, struct set_re *const *v, size_t n);
/* What may follow the byte `c` in a member that begins with it. */
struct set_re *set_after(struct arena *a, struct set_re *x, uint8_t c);

/* --- deterministic automata ----------------------------------------------- */

/*
 * States 0..nstates-1; state 0 is dead (it cannot reach acceptance), `start` is the
 * initial state.  The transition of state s on byte c is next[s * nclasses + cls[c]].
 * Accepting states have a sorted set of tags: tags[tag_at[s] .. tag_at[s + 1]).
 */
struct set_dfa {
	uint8_t cls[256];
	uint32_t nclasses, nstates, start;
	uint32_t *next;
	uint32_t *tag_at; /* nstates + 1 entries */
	uint32_t *tags;
	size_t ntags;
};

struct set_tagged {
	const struct set_re *re;   /* the language … */
	const struct set_re *minus;/* … minus this one (NULL: nothing) */
	uint32_t tag;
};

enum set_answer { SET_HOLDS, SET_WITNESS, SET_UNDECIDED };

/*
 * Builds the minimal DFA in which an accepting state has the tags of every language
 * that contains the word.  SET_UNDECIDED past `max_states`, or past the limits of
 * memory and work in dfa.c (ret_dfa is then untouched); otherwise SET_HOLDS.
 */
enum set_answer set_dfa_build(struct arena *a, const struct set_tagged *langs,
			      size_t n, size_t max_states, struct set_dfa *ret_dfa);
/*
 * The same for words only that are in each of the first `needed` languages: other words have
 * no tags.  So the automaton is no larger than what the other languages distinguish there.
 * *work is what is left of a budget for several automata: about one for each position of each
 * state and each move from it.  What was used is subtracted, also if the answer is
 * SET_UNDECIDED.
 */
enum set_answer set_dfa_build_of_first(struct arena *a, const struct set_tagged *langs,
				       size_t n, size_t needed, size_t max_states, size_t *work,
				       struct set_dfa *ret_dfa);
/* The tags of the word, or NULL with *ret_n = 0. */
const uint32_t *set_dfa_run(const struct set_dfa *dfa, struct str word, size_t *ret_n);

/*
 * Does the automaton give every word exactly the tags of the languages that contain it?
 * Each tag belongs to one language.  If not, gives a word for which it does not.
 */
enum set_answer set_dfa_equals(struct arena *a, const struct set_dfa *dfa,
			       const struct set_tagged *langs, size_t n,
			       size_t budget, struct str *ret_witness);

/* --- queries ---------------------------------------------------------------- */

#define SET_DEFAULT_BUDGET 200000 /* limit for the states that one query explores */

/*
 * Is (x minus xm) a subset of the union of (ys[i].re minus ys[i].minus)?  SET_WITNESS
 * gives a shortest word that is in the first but not in the union.  xm may be NULL.
 */
enum set_answer set_included(struct arena *a, const struct set_re *x,
			     const struct set_re *xm, const struct set_tagged *ys,
			     size_t n, size_t budget, struct str *ret_witness);
/* A shortest member of x minus xm; SET_HOLDS if there is none. */
enum set_answer set_member(struct arena *a, const struct set_re *x,
			   const struct set_re *xm, size_t budget,
			   struct str *ret_word);

#endif
