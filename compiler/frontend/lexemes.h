/*
 * The words of a policy text as they were written, comments included: the input of
 * the formatter.
 */
#ifndef COMPILER_FRONTEND_LEXEMES_H
#define COMPILER_FRONTEND_LEXEMES_H

#include "compiler/ast/ast.h"
#include "compiler/base/arena.h"

struct dsl_lexeme {
	struct str text;    /* a comment without the blanks at its end */
	uint32_t off;
	char punct;         /* { } [ ] ( ) , ; or 0 */
	bool comment;
	unsigned newlines;  /* line ends before this lexeme, at most 2 */
};

struct dsl_lexemes {
	struct dsl_lexeme *v;
	size_t n;
};

/*
 * All lexemes of the file from which dsl_parse() made `tree`, in order.  False if the
 * scanner gives up, which cannot happen for a file that was parsed.
 */
bool dsl_lexemes(struct arena *a, const struct source_map *map,
		 const struct ast_file *tree, struct dsl_lexemes *ret);

#endif
