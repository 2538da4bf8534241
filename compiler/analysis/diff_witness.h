/*
 * Words of the languages of diff_word.h as requests, which the evaluator is asked about, and
 * the other way round.  Among words that lead to the same answer one that can be read is
 * preferred, since people read it.  All results are in `tmp`.  Internal to analysis/diff*.c.
 */
#ifndef COMPILER_ANALYSIS_DIFF_WITNESS_H
#define COMPILER_ANALYSIS_DIFF_WITNESS_H

#include "compiler/analysis/diff_item.h"

#define DIFF_WITNESS_REQUESTS 4
/*
 * The requests that a word of the item's language may stand for: their number, 0 if it is no
 * word of commands.  A command has one for each name that the word gives its program.
 * Operation and scope are the caller's to choose.
 */
size_t diff_witness_requests(struct diff *d, struct arena *tmp, const struct diff_item *it,
			     struct str word, struct ir_request reqs[DIFF_WITNESS_REQUESTS]);
/* The argv of a command as a word; STR_NULL if it has no words.  A program with a '/' that
 * leads nowhere from the working directory has no places in it. */
struct str diff_witness_word(const struct diff *d, struct arena *tmp,
			     const struct ir_request *req);

/* How a state was first reached: `from` by `byte`, if it was `seen`. */
struct diff_step {
	uint32_t from;
	uint8_t byte;
	bool seen;
};

/* Orders the nclasses classes, readable ones first, and gives a readable byte of each class. */
void diff_witness_order(const struct set_dfa *f, uint8_t order[256], uint8_t bytes[256]);
/* The word that leads from `start` to `state`, which was seen; from[] has each state on the
 * way, and no circle. */
struct str diff_witness_spell(struct arena *tmp, const struct diff_step *from,
			      uint32_t start, uint32_t state);

#define DIFF_WITNESS_WORDS 32
struct diff_few {
	struct str word[DIFF_WITNESS_WORDS];
	size_t rest[DIFF_WITNESS_WORDS]; /* where the words after the program begin */
	size_t n;
};
/*
 * If the commands with exactly these tags have only a few words behind their program: each of
 * them, with some spellings of the program.  Else false.
 */
bool diff_witness_few(struct arena *tmp, const struct set_dfa *f, const uint32_t *tags,
		      size_t ntags, struct diff_few *ret);

#endif
