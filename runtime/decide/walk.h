/*
 * What one automaton of matcher.bin says about the word lists that a command can stand
 * for. Internal to decide/.
 *
 * A list consists of literal words and of words that are small languages (sh_seg), each
 * ended by NUL. May: some list ends in a state with the clause. Must: every list does.
 * Broad automata (deny, ask) may leave out words; a list then matches if some choice of
 * its words does.
 *
 * Literal words cost one step a byte for each current state. There is one state, and one
 * more for each word that was left out although a pattern would take it. After a state
 * that takes every word (`allow "ls *"`) nothing is read. From the first word that is not
 * literal on, sets of states are walked: bytes x states for "may". "Must" of broad
 * automata needs sets of sets, which have a budget. Past a budget every clause of the
 * automaton may match; those of broad automata that match one of the lists must.
 */
#ifndef RUNTIME_DECIDE_WALK_H
#define RUNTIME_DECIDE_WALK_H

#include "runtime/base/automaton.h"
#include "runtime/decide/decide.h"
#include "runtime/decide/pool.h"

struct walk_word {
	const struct sh_seg *seg;
	bool literal;
	bool skip;   /* broad: may be left out */
	bool vanish; /* may be no word */
	bool glob;   /* may be several words */
};

/* What takes the place of the program, which the automata of a name leave out. */
enum walk_column {
	WALK_NONE, /* nothing: the first word belongs to the automaton, or `lead` is fed
	              instead */
	WALK_NAME, /* the first word: its base name is `name`, or begins with it
	              (`goes_on`) */
	WALK_ANY,  /* the first word, whatever it is */
};

/* The states in which the lists end, if these are few. */
#define WALK_ENDS 12
struct walk_ends {
	uint32_t state[WALK_ENDS], n;
	bool known;
};

struct walk {
	const struct pb_matcher *m;
	const struct walk_word *words;
	uint32_t n;
	const char *lead;    /* bytes that come before the words, … */
	size_t lead_n;
	unsigned holes;      /* … and words that may be anything; WALK_ANY: they follow
	                        the first word */
	enum walk_column column;
	const char *name;
	uint32_t name_n;
	bool goes_on;
	bool appends;        /* unknown words follow */
	bool broad;
	bool may_only;       /* nothing is sure */
	struct pool pool;
	struct bits *may, *must; /* clauses are added to these */
	uint64_t *work;      /* remaining steps for the whole line */
	struct walk_ends *ends; /* for lists that are not literal; or NULL */
};

/* An automaton while it is walked. */
struct walk_at {
	const struct walk *w;
	const struct pb_automaton *a;
	const uint8_t *cls;
	const struct pb_state *states;
	const uint32_t *moves;
	bool nul_apart; /* no other byte has NUL's class */
};

/*
 * States from a->nstates on belong to the program's column: state a->nstates + k has read
 * k bytes of the name, and the last one waits for the next '/'.
 */
static inline uint32_t walk_nstates(const struct walk_at *at)
{
	return at->a->nstates + at->w->name_n + 2;
}

/* The state after a byte, after a text, and after the NUL that ends a word. */
uint32_t walk_step(const struct walk_at *at, uint32_t state, uint8_t byte);
uint32_t walk_run(const struct walk_at *at, uint32_t state, const char *p, size_t n);
uint32_t walk_end(const struct walk_at *at, uint32_t state);
/* The clauses of the state. */
const uint32_t *walk_tags(const struct walk_at *at, uint32_t state, uint32_t *ret_n);
void walk_add(struct bits *to, const uint32_t *tags, uint32_t n);
void walk_add_tags(const struct walk_at *at, uint32_t state, struct bits *to);
/*
 * Is this a state between words to which every list of words comes back? Then NUL leads
 * to it, from itself and from one state within words, and all other bytes lead to that
 * one. Requires at->nul_apart.
 */
bool walk_comes_back(const struct walk_at *at, uint32_t state);
/* false: the line's steps are used up. */
bool walk_spend(const struct walk *w, uint64_t n);

#define WALK_SMALL 48 /* current states while words are literal */
/* Walks `set` over one literal word. false: there are more states than fit, and nothing
 * has changed. */
bool walk_literal(const struct walk_at *at, const struct walk_word *word,
		  uint32_t set[WALK_SMALL], uint32_t *n);
/* The pieces of a word, followed by NULL; or NULL: no room. */
const struct sh_seg **walk_pieces(struct pool *p, const struct walk_word *word);
/* Stands for the unknown words after w->n. */
extern const struct walk_word walk_unknown;

#endif
