/*
 * Decides where lines end and what stands in columns.  A block stays on one line if it
 * was written so and fits.  Otherwise each item has a line of its own, and a line that
 * is too long is broken after a `,` and before the options.  The decisions depend only
 * on the words, on blank lines, on comments and on which blocks were on one line, so
 * that a second run decides the same.
 */
#include "compiler/format/format.h"

#include <assert.h>

#include "compiler/ast/build.h"
#include "compiler/ast/print.h"
#include "compiler/format/page.h"
#include "compiler/format/words.h"
#include "compiler/frontend/dsl.h"

#define MAX_HEAD 60 /* a longer text before a column does not move the other lines */

struct layout {
	struct words w;
	struct page page;
	struct arena *a;
};

static void put_items(struct layout *l, size_t i, size_t end, unsigned indent);

/* --- widths ---------------------------------------------------------------- */

/* Blanks before word `i` if it stands after word i - 1 on the same line. */
static unsigned gap(const struct layout *l, size_t i)
{
	const struct word *x = &l->w.v[i], *before;

	if (i == 0)
		return 0;
	before = x - 1;
	if (strchr("([", before->punct) && before->punct)
		return 0;
	if (strchr(")],;", x->punct) && x->punct)
		return 0;
	if (x->punct == '(' && ast_is_name(before->text)) /* of a system call */
		return 0;
	if (x->punct == '}' && before->punct == '{')
		return 0;
	if (x->shape == SHAPE_FLAG && before->shape == SHAPE_FLAG)
		return 1;
	if (x->is_aside || (x->shape != SHAPE_NONE && before->punct != '{'))
		return 2 + x->pad;
	return 1 + x->pad;
}

/* Width of the words i … end - 1 on one line, without the gap before them. */
static unsigned width_of(const struct layout *l, size_t i, size_t end)
{
	unsigned width = 0;

	for (size_t k = i; k < end && width <= FORMAT_WIDTH; k++)
		width += (k == i ? 0 : gap(l, k)) + l->w.v[k].width;
	return width;
}

/* Can these words stand on one line at all? */
static bool is_flat(const struct layout *l, size_t i, size_t end)
{
	for (; i < end; i++)
		if (l->w.v[i].comment || l->w.v[i].is_broken)
			return false;
	return true;
}

static bool fits(const struct layout *l, size_t i, size_t end, unsigned blanks)
{
	return page_column(&l->page) + blanks + width_of(l, i, end) <= FORMAT_WIDTH;
}

/* --- columns ------------------------------------------------------------------ */

/* The index after the last word of the item that begins at `i`. */
static size_t item_end(const struct layout *l, size_t i, size_t end)
{
	size_t k = i;

	do
		k = l->w.v[k].punct == '{' ? l->w.v[k].partner + 1 : k + 1;
	while (k < end && l->w.v[k].shape == SHAPE_NONE);
	while (l->w.v[k - 1].comment) /* comments after the item do not belong to it */
		k--;
	return k;
}

/* The word of item `i` in column `slot`, and the width before it; 0: none. */
static size_t find_slot(const struct layout *l, size_t i, size_t end, int slot,
			unsigned *ret_before)
{
	unsigned width = 0;

	for (size_t k = i; k < end; k++) {
		const struct word *x = &l->w.v[k];

		if (x->comment || x->punct == '{')
			return 0;
		width += k == i ? 0 : gap(l, k);
		if (width > MAX_HEAD)
			return 0;
		if (x->slot == slot && k > i) {
			*ret_before = width;
			return k;
		}
		width += x->width;
	}
	return 0;
}

struct run {
	VEC(size_t) items; /* first words of adjacent items with the same shape */
	size_t end;
};

static void align_run(struct layout *l, const struct run *r)
{
	for (int slot = 0; slot < MAX_SLOTS; slot++) {
		unsigned column = 0, before;

		for (size_t k = 0; k < r->items.n; k++)
			if (find_slot(l, r->items.v[k],
				      item_end(l, r->items.v[k], r->end), slot, &before) &&
			    before > column)
				column = before;
		for (size_t k = 0; k < r->items.n; k++) {
			size_t at = find_slot(l, r->items.v[k],
					      item_end(l, r->items.v[k], r->end), slot,
					      &before);

			if (at)
				l->w.v[at].pad = column - before;
		}
	}
}

static bool has_columns(enum shape s)
{
	return s != SHAPE_NONE && s != SHAPE_ITEM && s != SHAPE_FLAG;
}

/* A blank line, or an item of another shape, ends a run; a comment does not. */
static void align_items(struct layout *l, size_t i, size_t end)
{
	struct run r = { .end = end };
	enum shape last = SHAPE_NONE;

	while (i < end) {
		const struct word *x = &l->w.v[i];

		if (x->newlines > 1 || (!x->comment && x->shape != last)) {
			align_run(l, &r);
			r.items.n = 0;
		}
		if (x->comment) {
			i++;
			continue;
		}
		last = x->shape;
		if (has_columns(last))
			VEC_PUSH(l->a, &r.items, i);
		i = item_end(l, i, end);
	}
	align_run(l, &r);
}

/* --- items --------------------------------------------------------------------- */

static void put_word(struct layout *l, size_t i, unsigned blanks)
{
	page_text(&l->page, blanks, l->w.v[i].text, l->w.v[i].width);
}

static void put_flat(struct layout *l, size_t i, size_t end, unsigned blanks)
{
	for (; i < end; i++) {
		put_word(l, i, blanks);
		blanks = i + 1 < end ? gap(l, i + 1) : 0;
	}
}

/* The index after a block and after the brackets that close the lists around it. */
static size_t block_end(const struct layout *l, size_t i)
{
	for (i = l->w.v[i].partner + 1; i < l->w.n; i++)
		if (!l->w.v[i].punct || !strchr(",])", l->w.v[i].punct))
			break;
	return i;
}

/* Puts the block that '{' at `i` opens; returns the index after it. */
static size_t put_block(struct layout *l, size_t i, unsigned blanks)
{
	size_t close = l->w.v[i].partner;
	unsigned indent = page_indent(&l->page);

	if (close == i + 1 ||
	    (is_flat(l, i, close + 1) && fits(l, i, block_end(l, i), blanks))) {
		put_flat(l, i, close + 1, blanks);
		return close + 1;
	}
	put_word(l, i, blanks);
	put_items(l, i + 1, close, indent + FORMAT_INDENT);
	page_line(&l->page, indent);
	put_word(l, close, 0);
	return close + 1;
}

static bool can_break(const struct layout *l, size_t i, bool in_call)
{
	const struct word *x = &l->w.v[i];

	return x->may_break || (x[-1].punct == ',' && !in_call) ||
	       str_eqz(x->text, "and") || str_eqz(x->text, "or");
}

/* Would the block at `i` fit on a line of its own that begins with word `from`? */
static bool is_one_line(const struct layout *l, size_t from, size_t i, unsigned indent)
{
	return is_flat(l, i, l->w.v[i].partner) &&
	       indent + width_of(l, from, block_end(l, i)) <= FORMAT_WIDTH;
}

/*
 * The end of the words that must stay together with word `i`, if a line begins with it
 * at `indent`.
 */
static size_t chunk_end(const struct layout *l, size_t i, size_t end, bool in_call,
			unsigned indent)
{
	bool value = true; /* only '[' so far: a '{' begins a map in a list */
	size_t from = i;

	for (;;) {
		const struct word *x = &l->w.v[i];

		if (x->punct == '{' && !is_one_line(l, from, i, indent))
			return i + 1;
		in_call = (in_call || x->punct == '(') && x->punct != ')';
		i = x->punct == '{' ? x->partner + 1 : i + 1;
		value &= x->punct == '[';
		if (i >= end)
			return end;
		x = &l->w.v[i];
		if (x->is_option || x->comment || can_break(l, i, in_call) ||
		    (x->punct == '{' && !(value && is_one_line(l, from, i, indent))))
			return i;
	}
}

static size_t option_end(const struct layout *l, size_t i, size_t end)
{
	for (i++; i < end && !l->w.v[i].is_option && !l->w.v[i].comment;)
		i++;
	return i;
}

/* How an item that does not fit on its line continues. */
struct flow {
	size_t end;
	unsigned indent; /* of options; of the next lines of a list, after `deeper` */
	bool deeper;     /* in an option: its list continues further to the right */
	bool must_break; /* after a comment */
	bool in_call;
};

static unsigned list_indent(const struct flow *f)
{
	return f->indent + (f->deeper ? FORMAT_INDENT : 0);
}

static bool wants_line(const struct layout *l, const struct flow *f, size_t i)
{
	if (f->must_break)
		return true;
	if (l->w.v[i].is_option)
		return !f->deeper || !fits(l, i, option_end(l, i, f->end), gap(l, i));
	return can_break(l, i, f->in_call) &&
	       !fits(l, i, chunk_end(l, i, f->end, f->in_call, list_indent(f)), gap(l, i));
}

static void flow_comment(struct layout *l, struct flow *f, size_t i)
{
	const struct word *x = &l->w.v[i];

	if (x->newlines) {
		page_line(&l->page, list_indent(f));
		put_word(l, i, 0);
	} else {
		page_comment(&l->page, x->text);
	}
	f->must_break = true;
}

static void put_flowing(struct layout *l, size_t i, size_t end, unsigned indent)
{
	struct flow f = { .end = end, .indent = indent + FORMAT_INDENT };

	put_word(l, i++, 0);
	while (i < end) {
		const struct word *x = &l->w.v[i];
		unsigned blanks = gap(l, i);

		if (x->comment) {
			flow_comment(l, &f, i++);
			continue;
		}
		if (wants_line(l, &f, i)) {
			page_line(&l->page, x->is_option ? f.indent : list_indent(&f));
			blanks = 0;
		}
		f.must_break = false;
		f.deeper |= x->is_option;
		f.in_call = (f.in_call || x->punct == '(') && x->punct != ')';
		if (x->punct == '{')
			i = put_block(l, i, blanks);
		else
			put_word(l, i++, blanks);
	}
}

static void put_item(struct layout *l, size_t i, size_t end, unsigned indent)
{
	const struct word *x = &l->w.v[i];

	if (x->shape == SHAPE_FLAG && i && x[-1].shape == SHAPE_FLAG &&
	    x->newlines < 2 && fits(l, i, end, 1)) {
		put_flat(l, i, end, 1);
		return;
	}
	page_line(&l->page, indent);
	if (is_flat(l, i, end) && fits(l, i, end, 0))
		put_flat(l, i, end, 0);
	else
		put_flowing(l, i, end, indent);
}

static void put_items(struct layout *l, size_t i, size_t end, unsigned indent)
{
	size_t first = i;

	align_items(l, i, end);
	while (i < end) {
		const struct word *x = &l->w.v[i];

		if (x->comment && !x->newlines && i) {
			page_comment(&l->page, l->w.v[i++].text);
			continue;
		}
		if (x->newlines > 1 && i > first)
			page_blank(&l->page);
		if (x->comment) {
			page_line(&l->page, indent);
			put_word(l, i++, 0);
		} else {
			size_t next = item_end(l, i, end);

			put_item(l, i, next, indent);
			i = next;
		}
	}
}

/* --- the whole ------------------------------------------------------------------ */

/* Does the new text say what the tree says, and hold the same comments? */
static bool is_same(struct arena *a, const struct source_map *map,
		    const struct ast_file *tree, struct str text)
{
	struct diag_sink *quiet = ARENA_NEW(a, struct diag_sink);
	struct source_map *again = ARENA_NEW(a, struct source_map);
	struct dsl_lexemes was, is;
	const struct ast_file *other;
	struct buf x, y;
	size_t i = 0, k = 0;

	diag_init(quiet, a);
	source_init(again, a);
	other = dsl_parse(a, quiet, again, source_add(again, STR("formatted"), text));
	if (!other || tree->ncomments != other->ncomments)
		return false;
	buf_init(&x, a);
	buf_init(&y, a);
	ast_print_file(&x, tree);
	ast_print_file(&y, other);
	if (!str_eq(buf_view(&x), buf_view(&y)) ||
	    !dsl_lexemes(a, map, tree, &was) || !dsl_lexemes(a, again, other, &is))
		return false;
	for (;; i++, k++) {
		while (i < was.n && !was.v[i].comment)
			i++;
		while (k < is.n && !is.v[k].comment)
			k++;
		if (i == was.n || k == is.n)
			return i == was.n && k == is.n;
		if (!str_eq(was.v[i].text, is.v[k].text))
			return false;
	}
}

bool format_dsl(struct buf *b, const struct source_map *map, const struct ast_file *tree)
{
	struct layout *l = ARENA_NEW(b->a, struct layout);
	size_t from = b->n;

	l->a = b->a;
	page_init(&l->page, b->a);
	if (!words_of(b->a, map, tree, &l->w))
		return false;
	put_items(l, 0, l->w.n, 0);
	page_write(b, &l->page);
	return is_same(b->a, map, tree,
		       (struct str){ (const char *)b->p + from, b->n - from });
}
