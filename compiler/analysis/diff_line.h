/*
 * Command lines that meet or miss guards: a line of a region, with options and operands
 * that its rules name.  Internal to analysis/diff*.c.
 */
#ifndef COMPILER_ANALYSIS_DIFF_LINE_H
#define COMPILER_ANALYSIS_DIFF_LINE_H

#include "compiler/analysis/diff_item.h"

/* One or two words that may be added to a line. */
struct diff_piece {
	struct str word[2];
	size_t n;
};

struct diff_pieces {
	VEC(struct diff_piece) v;
};

/*
 * Adds what the guards of the item and of its exceptions name, and one option and one
 * path that they do not name.
 */
void diff_line_pieces(struct diff *d, struct arena *tmp, const struct diff_item *it,
		      struct diff_pieces *ret);

/*
 * The lines that the pieces make of `base`: with each piece, with two of them, with one
 * in place of a word.  Returns their number, at most `max`.
 */
size_t diff_line_variants(struct arena *tmp, const struct diff_pieces *p,
			  const struct ir_request *base, struct ir_request *ret,
			  size_t max);

#define DIFF_LINE_WORDS 16
/* Words that the command pattern matches; their number, or 0 if they cannot be spelled. */
size_t diff_line_member(struct arena *a, const struct ir_command *c,
			struct str ret[DIFF_LINE_WORDS]);
/* A path that the pattern matches; 1, or 0 if its root has no place. */
size_t diff_line_path(struct diff *d, struct arena *a, const struct ir_path *p,
		      struct str *ret);

#endif
