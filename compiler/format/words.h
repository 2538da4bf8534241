/*
 * A policy text as words that know their place in the tree: where an item of
 * a block begins, where its columns and options are, where a line may break.
 * Private to compiler/format.
 */
#ifndef COMPILER_FORMAT_WORDS_H
#define COMPILER_FORMAT_WORDS_H

#include "compiler/frontend/lexemes.h"

/* Neighbours of one shape stand in columns; SHAPE_ITEM has none. */
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
	SHAPE_FLAG  /* of a program table: several on one line */
};

#define MAX_SLOTS 2 /* columns of an item */

struct word {
	struct str text;
	char punct;
	bool comment;
	unsigned newlines;
	enum shape shape;
	signed char slot;    /* the column that begins here, or -1 */
	bool is_option;      /* begins an option of a rule */
	bool is_aside;       /* … which is not part of what the rule matches */
	bool may_break;      /* a long item may go on in the next line here */
	unsigned width;      /* columns of a terminal */
	unsigned pad;        /* blanks before it, beyond the usual */
	bool is_gone;        /* separates what is separated without it */
	size_t partner;      /* of '{': the index of its '}' */
	bool is_broken;      /* of '{': has comments, or line ends in the source */
};

struct words {
	struct word *v;
	size_t n;
};

/*
 * The words of the file, without the `;` and `,` that separate nothing.
 * False where the text cannot be read again (dsl_lexemes).
 */
bool words_of(struct arena *a, const struct source_map *map,
	      const struct ast_file *tree, struct words *ret);

#endif
