/*
 * Turns items into languages; diff_witness.h turns words of these languages into requests.
 * Internal to analysis/diff*.c.
 */
#ifndef COMPILER_ANALYSIS_DIFF_WORD_H
#define COMPILER_ANALYSIS_DIFF_WORD_H

#include "compiler/analysis/diff_item.h"

enum diff_frame {
	DIFF_WORDS,    /* commands, tools, abstract sockets: the same in every frame */
	DIFF_ABSOLUTE, /* paths with the roots at given places; "/" is "" */
	DIFF_SYMBOLIC, /* paths with the roots of d->symbols at any places */
	DIFF_RELATIVE  /* the rest of paths below the item's own root */
};

/* Is it about abstract sockets? */
bool diff_word_is_abstract(const struct diff_item *it);
enum diff_frame diff_word_frame(const struct diff_item *it);
/* Fills in what diff_word_may_meet() compares. */
void diff_word_prepare(struct diff *d, struct diff_item *it);
/* May both match the same word?  False only if there is surely none. */
bool diff_word_may_meet(const struct diff_item *x, const struct diff_item *y);
bool diff_word_same_root(const struct diff_item *x, const struct diff_item *y);
/* Makes the languages of its regular expressions, if that has not been done. */
void diff_word_search(struct diff *d, struct diff_item *it);
/* Lets what they find count as unknown for a while; false if it has none. */
bool diff_word_hide_search(struct diff *d, struct diff_item *it);
void diff_word_show_search(struct diff_item *it);
size_t diff_word_nexcept(const struct diff_item *it);
/* Does it have exceptions under other roots, or for some operations only? */
bool diff_word_is_vague(const struct diff_item *it);
struct set_tagged diff_word_language(struct diff *d, struct arena *tmp,
				     const struct diff_item *it, enum diff_frame frame);
/* Only its words that are requests and are not in `outside` (NULL: nothing). */
struct set_tagged diff_word_requests_of(struct diff *d, struct arena *tmp,
					const struct diff_item *it, enum diff_frame frame,
					struct set_re *outside);
/*
 * The language of an exception that applies to some requests only: to some operations, or
 * to commands of which more than words decides.  NULL for the others, which the item's
 * language does not contain.
 */
struct set_re *diff_word_partial(struct diff *d, struct arena *tmp,
				 const struct diff_item *it, size_t except,
				 enum diff_frame frame);
/* Compares the path alone, without the exceptions for some operations. */
bool diff_word_matches_path(const struct diff_item *it, const struct ir_request *req);

#endif
