/*
 * Parts of statements.  The printer writes only whole statements, so each part is
 * printed in a statement that holds nothing else.
 */
#include "compiler/format/pieces.h"

#include <assert.h>

#include "compiler/ast/print.h"
#include "compiler/ast/print_value.h"

struct str piece_stmt(struct arena *a, const struct ast_stmt *s)
{
	struct buf b;

	buf_init(&b, a);
	ast_print_stmt(&b, s);
	return str_dup(a, buf_view(&b));
}

static struct str between(struct str text, struct str head, struct str end)
{
	assert(str_starts(text, head) && str_ends(text, end));
	return str_sub(text, head.n, text.n - head.n - end.n);
}

struct str piece_item(struct arena *a, const struct ast_prog_item *i)
{
	struct ast_value name = { .kind = AST_V_NAME, .text = STR("x") };
	struct ast_prog_item alone = *i;
	struct ast_stmt s = { .kind = AST_PROGRAM, .values = &name, .items = &alone };

	alone.next = NULL;
	return between(piece_stmt(a, &s), STR("program x { "), STR(" }"));
}

struct str piece_case(struct arena *a, const struct ast_test_case *c)
{
	struct ast_test_case alone = *c;
	struct ast_stmt s = { .kind = AST_TEST, .name = STR("x"), .cases = &alone };

	alone.next = NULL;
	return between(piece_stmt(a, &s), STR("test \"x\" { "), STR(" }"));
}

struct str piece_head(struct arena *a, const struct ast_stmt *s)
{
	struct ast_stmt empty = *s;
	struct str text;

	if (s->kind == AST_OTHERWISE_BY_RISK)
		return s->locked ? STR("locked otherwise by risk") :
				   STR("otherwise by risk");
	empty.body = NULL;
	empty.items = NULL;
	empty.cases = NULL;
	text = piece_stmt(a, &empty);
	if (str_ends(text, STR(" { }"))) /* a network with a mode has no empty braces */
		text.n -= strlen(" { }");
	return text;
}

struct str piece_risk(struct arena *a, const struct ast_value *v)
{
	struct buf b;

	buf_init(&b, a);
	ast_print_name(&b, v->key);
	buf_ch(&b, ' ');
	buf_str(&b, v->text);
	return buf_view(&b);
}

static void put_line(struct buf *b, struct str text)
{
	buf_z(b, "    ");
	buf_str(b, text);
	buf_ch(b, '\n');
}

struct str piece_lines(struct arena *a, const struct ast_stmt *s)
{
	struct buf b;

	if (!s->body && !s->items && !s->cases && !s->pairs)
		return piece_stmt(a, s);
	buf_init(&b, a);
	buf_str(&b, piece_head(a, s));
	buf_z(&b, " {\n");
	for (const struct ast_stmt *k = s->body; k; k = k->next)
		put_line(&b, piece_stmt(a, k));
	for (const struct ast_prog_item *i = s->items; i; i = i->next)
		put_line(&b, piece_item(a, i));
	for (const struct ast_test_case *c = s->cases; c; c = c->next)
		put_line(&b, piece_case(a, c));
	for (const struct ast_value *v = s->pairs; v; v = v->next)
		put_line(&b, piece_risk(a, v));
	buf_ch(&b, '}');
	return buf_view(&b);
}
