/*
 * What stands between statements: comments and blank lines.  They are handed out in
 * the order of the source while the caller walks the tree, so that another text of
 * the same tree can have them at the same statements.
 */
#ifndef COMPILER_FORMAT_TRIVIA_H
#define COMPILER_FORMAT_TRIVIA_H

#include "compiler/ast/ast.h"

struct trivia {
	struct str text;  /* the whole source */
	const struct ast_file *f;
	size_t next;      /* index of the first comment that was not handed out */
	uint32_t last;    /* the end of what was written last */
};

struct trivia_comment {
	struct str text;
	bool blank;       /* there is a blank line before it */
};

void trivia_init(struct trivia *t, const struct source_map *map, const struct ast_file *f);
/* The next comment that begins before `off`; false: there is none. */
bool trivia_before(struct trivia *t, uint32_t off, struct trivia_comment *ret);
/* The next comment before `off`, if it stands after something on its line. */
bool trivia_behind(struct trivia *t, uint32_t off, struct str *ret);
/* The next comment, if only blanks, a separator or a quote are between `off` and it. */
bool trivia_on_line(struct trivia *t, uint32_t off, struct str *ret);
/* The next comment before `off`, if it stands at `column` or further to the right. */
bool trivia_right_of(struct trivia *t, uint32_t off, uint32_t column,
		     struct trivia_comment *ret);
/* Records that a statement that ends at `off` was written. */
void trivia_passed(struct trivia *t, uint32_t off);
/* Is there a blank line between what was written last and `off`? */
bool trivia_blank(const struct trivia *t, uint32_t off);
/* Number of blanks at the beginning of the line of `off`. */
uint32_t trivia_indent(const struct trivia *t, uint32_t off);
/* Number of bytes between the beginning of the line and `off`. */
uint32_t trivia_column(const struct trivia *t, uint32_t off);
bool trivia_is_one_line(const struct trivia *t, struct span at);

#endif
