/*
 * A policy text as words that know their role: where an item of a block begins, where
 * its columns and options are, where a line may be broken.
 * Private to compiler/format.
 */
#ifndef COMPILER_FORMAT_WORDS_H
#define COMPILER_FORMAT_WORDS_H

#include "compiler/frontend/lexemes.h"

/* Adjacent items of one shape are aligned in columns; SHAPE_ITEM has no columns. */
enum shape {
	SHAPE_NONE, /* no item begins here */
	SHAPE_ITEM,
	SHAPE_RULE,
	SHAPE_PAIR,
	SHAPE_LET,
	SHAPE_SET,
	SHAPE_RISK,
	SHAPE_ROUTE,
	SHAPE_CASE,
	SHAPE_FLAG  /* in a program table: several stand on one line */
};

#define MAX_SLOTS 2 /* the most columns of an item */

struct word {
	struct str text;
	char punct;
	bool comment;
	unsigned newlines;
	enum shape shape;
	signed char slot;    /* the column that begins here, or -1 */
	bool is_option;      /* begins an option of a rule */
	bool is_aside;       /* … that is not part of what the rule matches */
	bool may_break;      /* a long item may continue on a new line here */
	unsigned width;      /* in columns of a terminal */
	unsigned pad;        /* extra blanks before it */
	bool is_gone;        /* a separator that is not needed */
	bool is_kept;        /* … and one that is */
	size_t partner;      /* of '{': the index of its '}' */
	bool is_broken;      /* of '{': has comments, or line ends in the source */
};

struct words {
	struct word *v;
	size_t n;
};

/*
 * The words of the file, without the `;` and `,` that are not needed.
 * False if the text cannot be scanned again (dsl_lexemes).
 */
bool words_of(struct arena *a, const struct source_map *map,
	      const struct ast_file *tree, struct words *ret);

#endif
