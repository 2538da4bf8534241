/*
 * Turns items into languages, and words of these languages into requests.  Internal to
 * diff_lang.c and diff_word.c.
 */
#ifndef COMPILER_ANALYSIS_DIFF_WORD_H
#define COMPILER_ANALYSIS_DIFF_WORD_H

#include "compiler/analysis/diff_item.h"

enum diff_frame {
	DIFF_WORDS,    /* commands, tools, abstract sockets: the same in every frame */
	DIFF_ABSOLUTE, /* paths with the roots at given places; "/" is "" */
	DIFF_RELATIVE  /* the rest of paths below the item's own root */
};

enum diff_frame diff_word_frame(const struct diff_item *it);
/* Fills in what diff_word_may_meet() compares. */
void diff_word_prepare(struct diff *d, struct diff_item *it);
/* May both match the same word?  False only if there is surely none. */
bool diff_word_may_meet(const struct diff_item *x, const struct diff_item *y);
bool diff_word_same_root(const struct diff_item *x, const struct diff_item *y);
/* Does a guard or a regular expression decide too, besides the words? */
bool diff_word_is_loose(const struct diff_item *it);
/* Does it have exceptions under other roots, or for some operations only? */
bool diff_word_is_vague(const struct diff_item *it);
/* The item's language; `requests`: also without the words that are not requests. */
struct set_tagged diff_word_language(struct diff *d, struct arena *tmp,
				     const struct diff_item *it, enum diff_frame frame,
				     bool requests);
/* Those of its exceptions that apply to some of its operations only. */
struct set_re *diff_word_partial(struct diff *d, struct arena *tmp,
				 const struct diff_item *it, enum diff_frame frame);
/* Compares the path alone, without the exceptions for some operations. */
bool diff_word_matches_path(const struct diff_item *it, const struct ir_request *req);

#define DIFF_WORD_REQUESTS 4
/* The requests that the word may stand for; returns their number. */
size_t diff_word_requests(struct diff *d, struct arena *tmp, const struct diff_item *it,
			  struct str word, struct ir_request reqs[DIFF_WORD_REQUESTS]);

/* A command's request as a word of the languages; STR_NULL if it is none. */
struct str diff_word_of_command(const struct diff *d, struct arena *tmp,
				const struct ir_request *req);

/* How a state was first reached. */
struct diff_step {
	uint32_t from;
	uint8_t byte;
	bool seen;
};

/* Orders the classes, readable ones first, and gives a readable byte of each. */
void diff_word_order(const struct set_dfa *f, uint8_t order[256], uint8_t bytes[256]);
struct str diff_word_spell(struct arena *tmp, const struct diff_step *from,
			   uint32_t start, uint32_t state);

#endif
