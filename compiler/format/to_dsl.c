/*
 * Writes a tree as text of the language: the printer writes every statement, comments
 * stay at their statements, and blocks that were on one line stay on one line.
 */
#include "compiler/ast/build.h"
#include "compiler/ast/print.h"
#include "compiler/ast/print_value.h"
#include "compiler/format/convert.h"
#include "compiler/format/pieces.h"
#include "compiler/format/trivia.h"

struct to_dsl {
	struct buf *b;
	struct trivia t;
};

static void put_stmts(struct to_dsl *d, const struct ast_stmt *s, uint32_t limit);

static uint32_t end_of(struct span at)
{
	return at.off + at.len;
}

/* --- comments ----------------------------------------------------------------- */

static void put_comment(struct to_dsl *d, const struct trivia_comment *c)
{
	if (c->blank)
		buf_ch(d->b, '\n');
	buf_str(d->b, c->text);
	buf_ch(d->b, '\n');
}

/* Puts the comments before `at` and in the first `inside` bytes of it. */
static void put_before(struct to_dsl *d, struct span at, uint32_t inside)
{
	struct trivia_comment c;

	while (trivia_before(&d->t, at.off, &c))
		put_comment(d, &c);
	if (trivia_blank(&d->t, at.off))
		buf_ch(d->b, '\n');
	while (trivia_before(&d->t, at.off + inside, &c))
		put_comment(d, &c);
}

static void put_behind(struct to_dsl *d, uint32_t end)
{
	struct str text;

	trivia_passed(&d->t, end);
	if (trivia_on_line(&d->t, end, &text)) {
		buf_ch(d->b, ' ');
		buf_str(d->b, text);
	}
	buf_ch(d->b, '\n');
}

/*
 * Puts comments after the last item of a block and before `limit`.  A comment belongs
 * inside the block if the source has braces around it, or if it is indented as far.
 */
static void put_tail(struct to_dsl *d, struct span at, uint32_t first, uint32_t limit)
{
	uint32_t column = trivia_indent(&d->t, first);
	struct trivia_comment c;

	while (trivia_before(&d->t, end_of(at), &c))
		put_comment(d, &c);
	if (column <= trivia_indent(&d->t, at.off))
		column = trivia_indent(&d->t, at.off) + 1;
	while (trivia_right_of(&d->t, limit, column, &c))
		put_comment(d, &c);
}

/* --- values that stand on several lines ---------------------------------------------- */

/* `at`: place of the statement; a value at the same place has no place of its own. */
static bool is_on_lines(struct to_dsl *d, const struct ast_value *v, struct span at)
{
	if (v->kind == AST_V_MAP && (v->at.off != at.off || v->at.len != at.len) &&
	    !trivia_is_one_line(&d->t, v->at))
		return true;
	for (const struct ast_value *i = v->items; i; i = i->next)
		if (is_on_lines(d, i, at))
			return true;
	return false;
}

static void put_value(struct to_dsl *d, const struct ast_value *v, struct span at);

static void put_list(struct to_dsl *d, const struct ast_value *v, struct span at)
{
	buf_ch(d->b, '[');
	for (const struct ast_value *i = v->items; i; i = i->next) {
		put_value(d, i, at);
		buf_z(d->b, i->next ? ", " : "");
	}
	buf_ch(d->b, ']');
}

/* Each item has its comments; those after the last item stand before the brace. */
static void put_map(struct to_dsl *d, const struct ast_value *v, struct span at)
{
	struct trivia_comment c;

	buf_z(d->b, "{\n");
	for (const struct ast_value *i = v->items; i; i = i->next) {
		put_before(d, i->at, 0);
		if (ast_is_word(i->key))
			buf_str(d->b, i->key);
		else
			ast_print_plain(d->b, i->key);
		buf_z(d->b, " = ");
		put_value(d, i, at);
		put_behind(d, end_of(i->at));
	}
	while (trivia_before(&d->t, end_of(v->at), &c))
		put_comment(d, &c);
	buf_ch(d->b, '}');
}

static void put_value(struct to_dsl *d, const struct ast_value *v, struct span at)
{
	if (!is_on_lines(d, v, at))
		ast_print_value(d->b, v);
	else if (v->kind == AST_V_MAP)
		put_map(d, v, at);
	else
		put_list(d, v, at);
}

static bool has_lines(struct to_dsl *d, const struct ast_stmt *s)
{
	return (s->kind == AST_LET || s->kind == AST_SETTING || s->kind == AST_PAIR) &&
	       is_on_lines(d, s->values, s->at);
}

/* Puts a statement up to its value, then the value. */
static void put_leaf(struct to_dsl *d, const struct ast_stmt *s)
{
	struct ast_value empty = { .kind = AST_V_MAP };
	struct ast_stmt head = *s;
	struct str text;

	if (!has_lines(d, s)) {
		ast_print_stmt(d->b, s);
		return;
	}
	head.values = &empty;
	text = piece_stmt(d->b->a, &head);
	buf_str(d->b, str_sub(text, 0, text.n - strlen("{}")));
	put_value(d, s->values, s->at);
}

/* --- blocks -------------------------------------------------------------------------- */

/* The span of the first item inside the braces; false: there is none. */
static bool first_inside(const struct ast_stmt *s, struct span *ret)
{
	if (s->body)
		*ret = s->body->at;
	else if (s->items)
		*ret = s->items->at;
	else if (s->cases)
		*ret = s->cases->at;
	else if (s->pairs)
		*ret = s->pairs->at;
	else
		return false;
	return true;
}

static void put_one(struct to_dsl *d, struct span at, struct str text)
{
	put_before(d, at, at.len);
	buf_str(d->b, text);
	put_behind(d, end_of(at));
}

static void put_inside(struct to_dsl *d, const struct ast_stmt *s, uint32_t limit)
{
	struct arena *a = d->b->a;

	put_stmts(d, s->body, limit);
	for (const struct ast_prog_item *i = s->items; i; i = i->next)
		put_one(d, i->at, piece_item(a, i));
	for (const struct ast_test_case *c = s->cases; c; c = c->next)
		put_one(d, c->at, piece_case(a, c));
	for (const struct ast_value *v = s->pairs; v; v = v->next)
		put_one(d, v->at, piece_risk(a, v));
}

static void put_block(struct to_dsl *d, const struct ast_stmt *s, struct span first,
		      uint32_t limit)
{
	struct str text;

	put_before(d, s->at, 0);
	buf_str(d->b, piece_head(d->b->a, s));
	buf_z(d->b, " {");
	if (trivia_behind(&d->t, first.off, &text)) {
		buf_ch(d->b, ' ');
		buf_str(d->b, text);
	}
	buf_ch(d->b, '\n');
	put_inside(d, s, limit);
	put_tail(d, s->at, first.off, limit);
	buf_ch(d->b, '}');
	put_behind(d, end_of(s->at));
}

/* YAML may spread a section over several keys: it ends where the last of them ends. */
static bool is_one_line(struct to_dsl *d, const struct ast_stmt *s)
{
	struct span at = s->at;

	for (const struct ast_stmt *k = s->body; k; k = k->next)
		if (k->at.off >= at.off && end_of(k->at) > end_of(at))
			at.len = end_of(k->at) - at.off;
	return trivia_is_one_line(&d->t, at);
}

/* `limit`: where the next statement after the list begins. */
static void put_stmts(struct to_dsl *d, const struct ast_stmt *s, uint32_t limit)
{
	const struct ast_stmt *before = NULL;

	for (; s; before = s, s = s->next) {
		uint32_t next = s->next ? s->next->at.off : limit;
		struct span first;

		if (first_inside(s, &first) && !is_one_line(d, s)) {
			put_block(d, s, first, next);
			continue;
		}
		/* comments of a value on several lines are put with its items */
		put_before(d, s->at, has_lines(d, s) ? 0 : s->at.len);
		if (ast_needs_separator(before, s))
			buf_z(d->b, "; ");
		put_leaf(d, s);
		put_behind(d, end_of(s->at));
	}
}

void convert_to_dsl(struct buf *b, const struct source_map *map,
		    const struct ast_file *tree)
{
	struct to_dsl d = { .b = b };
	struct trivia_comment c;

	trivia_init(&d.t, map, tree);
	put_stmts(&d, tree->stmts, UINT32_MAX);
	while (trivia_before(&d.t, UINT32_MAX, &c))
		put_comment(&d, &c);
}
