/* Writes YAML nodes as lines: block style for structure, brackets for short values. */
#include "compiler/format/node.h"

#include "compiler/diag/width.h"
#include "compiler/format/quote.h"

#define WIDTH 100
#define STEP 2

struct node *node_new(struct arena *a, enum node_kind kind, enum node_layout layout)
{
	struct node *n = ARENA_NEW(a, struct node);

	n->kind = kind;
	n->layout = layout;
	return n;
}

void node_add(struct node *list, struct node *item)
{
	if (list->last)
		list->last->next = item;
	else
		list->items = item;
	list->last = item;
}

void node_put(struct node *map, const char *key, struct node *value)
{
	value->key = str_from(key);
	node_add(map, value);
}

struct node *node_plain(struct arena *a, struct str text)
{
	struct node *n = node_new(a, NODE_SCALAR, NODE_ONE_LINE);

	n->text = text;
	return n;
}

struct node *node_text(struct arena *a, struct str text)
{
	return node_plain(a, quote_text(a, text));
}

struct node *node_lines(struct arena *a, struct str one_line, struct str lines)
{
	struct node *n = node_text(a, one_line);
	struct str rest = lines;

	while (rest.n) {
		const char *end = memchr(rest.p, '\n', rest.n);
		size_t line = end ? (size_t)(end - rest.p) : rest.n;

		if (!quote_is_visible(str_sub(rest, 0, line)))
			return n;
		rest = str_sub(rest, line + 1, rest.n);
	}
	n->lines = lines;
	n->layout = NODE_BLOCK;
	return n;
}

/* --- on one line ------------------------------------------------------------ */

static void put_flow(struct buf *b, const struct node *n)
{
	if (n->kind == NODE_SCALAR) {
		buf_str(b, n->text);
		return;
	}
	buf_ch(b, n->kind == NODE_LIST ? '[' : '{');
	for (const struct node *i = n->items; i; i = i->next) {
		if (n->kind == NODE_MAP) {
			buf_str(b, i->key);
			buf_z(b, ": ");
		}
		put_flow(b, i);
		if (i->next)
			buf_z(b, ", ");
	}
	buf_ch(b, n->kind == NODE_LIST ? ']' : '}');
}

/* Width of the text in columns; stops counting beyond the width of a line. */
static size_t text_width(struct str s)
{
	size_t width = 0;
	uint32_t c;
	bool valid;

	for (size_t i = 0, n; i < s.n && width <= WIDTH; i += n) {
		n = utf8_next(s, i, &c, &valid);
		width += utf8_width(c);
	}
	return width;
}

static size_t flow_width(const struct node *n)
{
	size_t width = 0;

	if (n->kind == NODE_SCALAR)
		return text_width(n->text);
	for (const struct node *i = n->items; i && width <= WIDTH; i = i->next)
		width += 2 + (n->kind == NODE_MAP ? text_width(i->key) + 2 : 0) +
			 flow_width(i);
	return n->items ? width : 2;
}

/* --- lines -------------------------------------------------------------------- */

static void put_block(struct buf *b, const struct node *n, size_t indent, bool begun);

static void put_indent(struct buf *b, size_t indent)
{
	for (size_t i = 0; i < indent; i++)
		buf_ch(b, ' ');
}

static void end_line(struct buf *b, struct str comment)
{
	if (comment.n) {
		buf_z(b, "  ");
		buf_str(b, comment);
	}
	buf_ch(b, '\n');
}

static void put_comments(struct buf *b, const struct trivia_comment *v, size_t n,
			 size_t indent, bool first)
{
	for (size_t i = 0; i < n; i++) {
		if (v[i].blank && (i > 0 || !first))
			buf_ch(b, '\n');
		put_indent(b, indent);
		buf_str(b, v[i].text);
		buf_ch(b, '\n');
	}
}

/* Writes a list in brackets; its further lines begin at `indent`. */
static void put_fill(struct buf *b, const struct node *n, size_t column, size_t indent)
{
	buf_ch(b, '[');
	column++;
	for (const struct node *i = n->items; i; i = i->next) {
		size_t width = flow_width(i) + 1; /* and the comma or bracket */

		if (i != n->items && column + 1 + width > WIDTH) {
			buf_ch(b, '\n');
			put_indent(b, indent);
			column = indent;
		} else if (i != n->items) {
			buf_ch(b, ' ');
			column++;
		}
		put_flow(b, i);
		buf_ch(b, i->next ? ',' : ']');
		column += width;
	}
	if (!n->items)
		buf_ch(b, ']');
}

/* Writes a literal block. */
static void put_lines(struct buf *b, struct str s, size_t indent)
{
	buf_z(b, " |\n");
	while (s.n) {
		const char *end = memchr(s.p, '\n', s.n);
		size_t n = end ? (size_t)(end - s.p) : s.n;

		put_indent(b, indent);
		buf_add(b, s.p, n);
		buf_ch(b, '\n');
		s = str_sub(s, n + 1, s.n);
	}
}

static bool is_block(const struct node *n, size_t column)
{
	if (n->kind == NODE_SCALAR || (!n->items && !n->tail.n))
		return false;
	return n->layout == NODE_BLOCK ||
	       (n->layout == NODE_IF_FITS && column + flow_width(n) > WIDTH);
}

/* Does the value have no last line where a comment could stand after it? */
static bool is_on_lines(const struct node *n, size_t indent, bool in_map)
{
	size_t column = indent + 2 + (in_map ? text_width(n->key) : 0);

	return n->kind == NODE_SCALAR ? n->layout == NODE_BLOCK : is_block(n, column);
}

/*
 * Writes what follows `KEY:` or `-`, up to the end of its lines.  `column` is the
 * first free column; the lines below begin at `indent`.
 */
static void put_value(struct buf *b, const struct node *n, size_t column, size_t indent,
		      bool in_list)
{
	if (is_block(n, column)) {
		if (in_list && n->kind == NODE_MAP && !n->open.n && n->items &&
		    !n->items->before.n &&
		    !(n->items->trailing.n && is_on_lines(n->items, indent, true))) {
			put_block(b, n, indent, true);
			return;
		}
		end_line(b, n->open);
		put_block(b, n, indent, false);
		return;
	}
	if (n->kind == NODE_SCALAR && n->layout == NODE_BLOCK) {
		put_lines(b, n->lines, indent);
		return;
	}
	buf_ch(b, ' ');
	if (n->kind == NODE_LIST && n->layout == NODE_FILL)
		put_fill(b, n, column, indent);
	else
		put_flow(b, n);
	end_line(b, n->trailing.n ? n->trailing : n->open);
}

/* `begun`: the first item stands on the current line, after its dash. */
static void put_block(struct buf *b, const struct node *n, size_t indent, bool begun)
{
	for (const struct node *i = n->items; i; i = i->next) {
		bool first = i == n->items;

		put_comments(b, i->before.v, i->before.n, indent, first);
		if (i->trailing.n && is_on_lines(i, indent, n->kind == NODE_MAP))
			put_comments(b, &(struct trivia_comment){ i->trailing, false },
				     1, indent, first);
		if (i->blank && (!first || i->before.n))
			buf_ch(b, '\n');
		if (begun && first)
			buf_ch(b, ' ');
		else
			put_indent(b, indent);
		if (n->kind == NODE_MAP) {
			buf_str(b, i->key);
			buf_ch(b, ':');
			put_value(b, i, indent + text_width(i->key) + 2, indent + STEP,
				  false);
		} else {
			buf_ch(b, '-');
			put_value(b, i, indent + 2, indent + STEP, true);
		}
	}
	put_comments(b, n->tail.v, n->tail.n, indent, !n->items);
	if (n->items)
		return;
	put_indent(b, indent); /* comments alone are not a value */
	put_flow(b, n);
	buf_ch(b, '\n');
}

void node_write(struct buf *b, const struct node *top)
{
	if (top->items)
		put_block(b, top, 0, false);
	else
		put_comments(b, top->tail.v, top->tail.n, 0, true);
}
