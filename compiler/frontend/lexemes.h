/*
 * The words of a policy text as they were written, comments among them: what
 * the formatter lays out again.
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
	unsigned newlines;  /* between it and the lexeme before it, at most 2 */
};

struct dsl_lexemes {
	struct dsl_lexeme *v;
	size_t n;
};

/*
 * All of a file that dsl_parse() made `tree` of, in order.  False where the
 * scanner gives up, which a file that was parsed does not make it do.
 */
bool dsl_lexemes(struct arena *a, const struct source_map *map,
		 const struct ast_file *tree, struct dsl_lexemes *ret);

#endif
