/*
 * What one automaton of matcher.bin says of the word lists that a command can
 * stand for.  Internal to decide/.
 *
 * A list is literal words and words that are small languages (sh_seg), each
 * ended by NUL.  May: some list ends in a state with the clause.  Must: every
 * list does.  Broad automata (deny, ask) may leave out words: then a list
 * matches if some choice of words does.
 *
 * Literal words cost one step a byte for each state at hand: one, and one more
 * for each word left out that a pattern would take as well.  Nothing is read
 * behind a state that takes every word (`allow "ls *"`).  From the first
 * word on that is not literal, sets of states are walked: bytes x states for
 * "may"; for "must" of broad automata sets of sets, which have a budget.  Past
 * a budget every clause of the automaton may match, and of broad ones those
 * that one of the lists matches must.
 */
#ifndef RUNTIME_DECIDE_WALK_H
#define RUNTIME_DECIDE_WALK_H

#include "runtime/decide/internal.h"

/* Memory from the caller's block, given back by going back to a mark. */
struct pool {
	uint8_t *p;
	size_t left;
};

/* 8-byte aligned, not cleared; NULL: no room. */
void *pool_take(struct pool *p, size_t count, size_t size);
/* An empty set of numbers below `count`; false: no room. */
bool pool_bits(struct pool *p, uint32_t count, struct bits *ret);

struct walk_word {
	const struct sh_seg *seg;
	bool literal;
	bool skip;   /* broad: may be left out */
	bool vanish; /* may be no word */
	bool glob;   /* may be several words */
};

/* What stands for the program, which the words of a name's automata leave out. */
enum walk_column {
	WALK_NONE, /* nothing: the first word is part of the automaton, or fed by `lead` */
	WALK_NAME, /* the first word: its base name is `name`; with `goes_on` begins so */
	WALK_ANY,  /* the first word, whatever it is */
};

/* The states that the lists end in, where these are few. */
#define WALK_ENDS 12
struct walk_ends {
	uint32_t state[WALK_ENDS], n;
	bool known;
};

struct walk {
	const struct pb_matcher *m;
	const struct walk_word *words;
	uint32_t n;
	const char *lead;    /* bytes before the words, … */
	size_t lead_n;
	unsigned holes;      /* … and words that may be anything; WALK_ANY: behind the first */
	enum walk_column column;
	const char *name;
	uint32_t name_n;
	bool goes_on;
	bool appends;        /* words that are not known stand behind them */
	bool broad;
	bool may_only;       /* nothing is sure */
	struct pool pool;
	struct bits *may, *must; /* clauses, added to */
	uint64_t *work;      /* steps that are left for the whole line */
	struct walk_ends *ends; /* of lists that are not literal, or NULL */
};

/* Adds what an automaton of w->m says. */
void walk_ask(const struct walk *w, const struct pb_automaton *a);
/* Adds to w->may what it says in these states, of another with the same moves. */
void walk_ask_at(const struct walk *w, const struct pb_automaton *a,
		 const struct walk_ends *ends);

/* --- between the files of the walk ---------------------------------------------- */

struct walk_at {
	const struct walk *w;
	const struct pb_automaton *a;
	const uint8_t *cls;
	const struct pb_state *states;
	const uint32_t *moves;
	bool nul_apart; /* no other byte has NUL's class */
};

/*
 * States from a->nstates on stand in the column of the program: so many bytes
 * of the name are read, and behind these one that waits for the next '/'.
 */
static inline uint32_t walk_nstates(const struct walk_at *at)
{
	return at->a->nstates + at->w->name_n + 2;
}

uint32_t walk_step(const struct walk_at *at, uint32_t state, uint8_t byte);
uint32_t walk_run(const struct walk_at *at, uint32_t state, const char *p, size_t n);
uint32_t walk_end(const struct walk_at *at, uint32_t state);
void walk_add(struct bits *to, const uint32_t *tags, uint32_t n);
void walk_add_tags(const struct walk_at *at, uint32_t state, struct bits *to);
/*
 * Is the state one between words that every list of words comes back to?  It and
 * one inside of words then lead to each other by NUL, and nowhere else.  Where
 * at->nul_apart.
 */
bool walk_comes_back(const struct walk_at *at, uint32_t state);
/* false: nothing is left of the line's steps. */
bool walk_spend(const struct walk *w, uint64_t n);
const uint32_t *walk_tags(const struct walk_at *at, uint32_t state, uint32_t *ret_n);
/*
 * Adds what may match from these states on, words from `from`, and of narrow
 * automata what must; takes from w->pool.  false past a budget.
 */
bool walk_sets(const struct walk_at *at, struct walk *w, const uint32_t *set, uint32_t n,
	       uint32_t from);
/*
 * Adds to w->must the clauses that every list from these states on matches;
 * false past a budget.  Words from `from` on.
 */
bool walk_must(const struct walk_at *at, struct pool pool, const uint32_t *set,
	       uint32_t n, uint32_t from);
/* The pieces of a word, and NULL behind them; or NULL: no room. */
const struct sh_seg **walk_pieces(struct pool *p, const struct walk_word *word);
/* The words behind w->n: those that are not known. */
extern const struct walk_word walk_unknown;

#endif
