/* Lines before they become a text: finds the column of the comments after them. */
#include "compiler/format/page.h"

#define MAX_ALIGNED 80 /* a longer line does not move the comments of its neighbours */

void page_init(struct page *p, struct arena *a)
{
	*p = (struct page){ 0 };
	buf_init(&p->text, a);
}

void page_line(struct page *p, unsigned indent)
{
	struct page_line l = { .indent = indent, .width = indent, .from = p->text.n };

	VEC_PUSH(p->text.a, &p->lines, l);
}

void page_blank(struct page *p)
{
	page_line(p, 0);
}

void page_text(struct page *p, unsigned blanks, struct str text, unsigned width)
{
	struct page_line *l = VEC_LAST(&p->lines);

	for (unsigned i = 0; i < blanks; i++)
		buf_ch(&p->text, ' ');
	buf_str(&p->text, text);
	l->n = p->text.n - l->from;
	l->width += blanks + width;
}

void page_comment(struct page *p, struct str text)
{
	VEC_LAST(&p->lines)->comment = text;
}

unsigned page_column(const struct page *p)
{
	return VEC_LAST(&p->lines)->width;
}

unsigned page_indent(const struct page *p)
{
	return VEC_LAST(&p->lines)->indent;
}

static bool is_aligned(const struct page_line *l)
{
	return l->comment.n && l->width <= MAX_ALIGNED;
}

/* The column of the comments from line `i` on; *ret_end: the first line without one. */
static unsigned comment_column(const struct page *p, size_t i, size_t *ret_end)
{
	unsigned column = 0;

	for (; i < p->lines.n && p->lines.v[i].comment.n; i++)
		if (is_aligned(&p->lines.v[i]) && p->lines.v[i].width > column)
			column = p->lines.v[i].width;
	*ret_end = i;
	return column + 2;
}

void page_write(struct buf *b, const struct page *p)
{
	unsigned column = 0;
	size_t end = 0;

	for (size_t i = 0; i < p->lines.n; i++) {
		const struct page_line *l = &p->lines.v[i];
		unsigned at = l->width + 2;

		for (unsigned k = 0; k < l->indent && l->n; k++)
			buf_ch(b, ' ');
		if (l->n)
			buf_add(b, p->text.p + l->from, l->n);
		if (l->comment.n) {
			if (i >= end)
				column = comment_column(p, i, &end);
			if (is_aligned(l))
				at = column;
			for (unsigned k = l->width; k < at; k++)
				buf_ch(b, ' ');
			buf_str(b, l->comment);
		}
		buf_ch(b, '\n');
	}
}
