/*
 * The words of a simple command as small automata, one for each word, and the walk of a
 * pattern over all values that the words can have.  Part of the reference evaluator.
 */
#ifndef COMPILER_EVAL_COMMAND_WORDS_H
#define COMPILER_EVAL_COMMAND_WORDS_H

#include "compiler/eval/asked.h"
#include "compiler/eval/command_nfa.h"
#include "compiler/eval/match.h"

/* What an edge of a word's automaton reads. */
enum cword_piece_kind { CWORD_TEXT, CWORD_ANY, CWORD_END };

struct cword_piece {
	enum cword_piece_kind kind;
	struct str text;
	uint32_t from, to;
};

/*
 * One word.  State 0 is its beginning, state 1 its end (or the end of the last word, if
 * it expands to several).
 */
struct cword {
	VEC(struct cword_piece) pieces;
	uint32_t nstates;
	bool skip; /* a broad reading may leave the word out */
};

struct cwords {
	struct arena a;
	const struct eval_asked *q;
	enum eval_side side;
	struct cnfa n; /* the pattern; words may be added before or after cnfa_done() */
	VEC(struct cword) words;
	uint32_t left; /* what is left of the budget */
};

void cwords_init(struct cwords *w, const struct eval_asked *q, enum eval_side side);
void cwords_release(struct cwords *w);
void cwords_add(struct cwords *w, const struct cmd_word *from);
/* Adds any number of unknown words. */
void cwords_add_unknown(struct cwords *w);

/* Starting in the states `start` before word `first`: does some value reach the
 * accepting state, do all values reach it?  When the budget is used up, "must" is false
 * for allow, and for deny it equals "may". */
bool cwords_may(struct cwords *w, size_t first, const uint64_t *start);
bool cwords_must(struct cwords *w, size_t first, const uint64_t *start);

#endif
