/*
 * What stands between statements: comments and blank lines, handed out in the
 * order of the source while somebody walks the tree, so that another text of
 * the same tree can have them at the same statements.
 */
#ifndef COMPILER_FORMAT_TRIVIA_H
#define COMPILER_FORMAT_TRIVIA_H

#include "compiler/ast/ast.h"

struct trivia {
	struct str text;  /* the whole source */
	const struct ast_file *f;
	size_t next;      /* the first comment that was not handed out */
	uint32_t last;    /* behind what was written last */
};

struct trivia_comment {
	struct str text;
	bool blank;       /* a blank line before it */
};

void trivia_init(struct trivia *t, const struct source_map *map, const struct ast_file *f);
/* The next comment that begins before `off`; false: there is none. */
bool trivia_before(struct trivia *t, uint32_t off, struct trivia_comment *ret);
/* The next one before `off`, if it stands behind something on its line. */
bool trivia_behind(struct trivia *t, uint32_t off, struct str *ret);
/* The next one, if only blanks, a separator or a quote are between it and `off`. */
bool trivia_on_line(struct trivia *t, uint32_t off, struct str *ret);
/* The next one before `off` that is not to the left of `column`. */
bool trivia_right_of(struct trivia *t, uint32_t off, uint32_t column,
		     struct trivia_comment *ret);
/* A statement that ends at `off` was written. */
void trivia_passed(struct trivia *t, uint32_t off);
/* Is there a blank line between what was written last and `off`? */
bool trivia_blank(const struct trivia *t, uint32_t off);
/* Blanks at the begin of the line of `off`. */
uint32_t trivia_indent(const struct trivia *t, uint32_t off);
/* Bytes between the begin of its line and `off`. */
uint32_t trivia_column(const struct trivia *t, uint32_t off);
bool trivia_is_one_line(const struct trivia *t, struct span at);

#endif
