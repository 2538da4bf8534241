/*
 * The words of a simple command as small automata, one for each, and the walk
 * of a pattern over all values that they can have.  Part of the reference
 * evaluator.
 */
#ifndef COMPILER_EVAL_COMMAND_WORDS_H
#define COMPILER_EVAL_COMMAND_WORDS_H

#include "compiler/eval/command_nfa.h"
#include "compiler/eval/match_command.h"

/* What an edge of a word's automaton reads. */
enum cword_piece_kind { CWORD_TEXT, CWORD_ANY, CWORD_END };

struct cword_piece {
	enum cword_piece_kind kind;
	struct str text;
	uint32_t from, to;
};

/* One word: state 0 begins it, state 1 is behind it (or them). */
struct cword {
	VEC(struct cword_piece) pieces;
	uint32_t nstates;
	bool skip; /* a broad reading may leave it out */
};

struct cwords {
	struct arena a;
	const struct eval_asked *q;
	enum eval_side side;
	struct cnfa n; /* the pattern; the words are added when it is done, or before */
	VEC(struct cword) words;
	uint32_t left; /* of the budget */
};

void cwords_init(struct cwords *w, const struct eval_asked *q, enum eval_side side);
void cwords_release(struct cwords *w);
void cwords_add(struct cwords *w, const struct cmd_word *from);
/* Any further words. */
void cwords_add_unknown(struct cwords *w);

/* From the states `start` before word `first`: does some value lead to the
 * accepting one, do all?  Past a budget not for allow, and for deny as some. */
bool cwords_may(struct cwords *w, size_t first, const uint64_t *start);
bool cwords_must(struct cwords *w, size_t first, const uint64_t *start);

#endif
