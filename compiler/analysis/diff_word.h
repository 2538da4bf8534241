/*
 * Items as languages, and words of them as requests.  Internal to diff_lang.c
 * and diff_word.c.
 */
#ifndef COMPILER_ANALYSIS_DIFF_WORD_H
#define COMPILER_ANALYSIS_DIFF_WORD_H

#include "compiler/analysis/diff_internal.h"

enum diff_frame {
	DIFF_WORDS,    /* commands, tools, abstract sockets: the same everywhere */
	DIFF_ABSOLUTE, /* paths where the roots are given; "/" is "" */
	DIFF_RELATIVE  /* the rest of paths under the item's own root */
};

enum diff_frame diff_word_frame(const struct diff_item *it);
/* Fills what diff_word_may_meet() compares. */
void diff_word_prepare(struct diff *d, struct diff_item *it);
/* False only where no word is in both. */
bool diff_word_may_meet(const struct diff_item *x, const struct diff_item *y);
bool diff_word_same_root(const struct diff_item *x, const struct diff_item *y);
/* Do guards or a regular expression decide it, besides its words? */
bool diff_word_is_loose(const struct diff_item *it);
/* Has it exceptions under other roots, or for some operations only? */
bool diff_word_is_vague(const struct diff_item *it);
/* `requests`: without the words that are no request, too. */
struct set_tagged diff_word_language(struct diff *d, struct arena *tmp,
				     const struct diff_item *it, enum diff_frame frame,
				     bool requests);
/* Its exceptions that hold for some of its operations only. */
struct set_re *diff_word_partial(struct diff *d, struct arena *tmp,
				 const struct diff_item *it, enum diff_frame frame);
/* The path alone, without exceptions for some operations. */
bool diff_word_matches_path(const struct diff_item *it, const struct ir_request *req);

#define DIFF_WORD_REQUESTS 4
/* Requests that the word may stand for; how many. */
size_t diff_word_requests(struct diff *d, struct arena *tmp, const struct diff_item *it,
			  struct str word, struct ir_request reqs[DIFF_WORD_REQUESTS]);

/* A request of a command as a word of the languages; STR_NULL: it is none. */
struct str diff_word_of_command(const struct diff *d, struct arena *tmp,
				const struct ir_request *req);

/* How a state was reached first. */
struct diff_step {
	uint32_t from;
	uint8_t byte;
	bool seen;
};

/* The classes, readable ones first, and a readable byte of each. */
void diff_word_order(const struct set_dfa *f, uint8_t order[256], uint8_t bytes[256]);
struct str diff_word_spell(struct arena *tmp, const struct diff_step *from,
			   uint32_t start, uint32_t state);

#endif
