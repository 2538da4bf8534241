/* Lines of a formatted text, each with the comment after it. */
#ifndef COMPILER_FORMAT_PAGE_H
#define COMPILER_FORMAT_PAGE_H

#include "compiler/base/buf.h"
#include "compiler/base/vec.h"

struct page_line {
	unsigned indent, width; /* width: without the comment */
	size_t from, n;         /* its text in `text` */
	struct str comment;
};

struct page {
	struct buf text;
	VEC(struct page_line) lines;
};

void page_init(struct page *p, struct arena *a);
void page_line(struct page *p, unsigned indent);
void page_blank(struct page *p);
/* Appends to the last line; there must be one. */
void page_text(struct page *p, unsigned blanks, struct str text, unsigned width);
void page_comment(struct page *p, struct str text);
/* The number of columns that the last line uses. */
unsigned page_column(const struct page *p);
unsigned page_indent(const struct page *p);
/* Writes the lines; comments after adjacent lines stand in one column. */
void page_write(struct buf *b, const struct page *p);

#endif
