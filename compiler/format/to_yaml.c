/* Comments that belong to a statement, and statements that YAML cannot spell. */
#include "compiler/format/to_yaml.h"

#include "compiler/ast/build.h"
#include "compiler/format/pieces.h"

struct node to_yaml_before(struct to_yaml *y, struct span at)
{
	struct node n = { 0 };
	struct trivia_comment c;

	while (trivia_before(&y->t, at.off, &c))
		VEC_PUSH(y->a, &n.before, c);
	n.blank = trivia_blank(&y->t, at.off);
	return n;
}

/* The node on whose last line a comment can stand. */
static struct node *last_line(struct node *n)
{
	while (n->kind == NODE_MAP && n->layout == NODE_BLOCK && n->items &&
	       n->items == n->last)
		n = n->items;
	return n;
}

void to_yaml_attach(struct to_yaml *y, struct node *n, const struct node *before,
		    struct span at)
{
	uint32_t end = at.off + at.len;
	struct node *last = last_line(n);
	struct trivia_comment c;
	struct str trailing;

	n->blank = before->blank;
	for (size_t i = 0; i < before->before.n; i++)
		VEC_PUSH(y->a, &n->before, before->before.v[i]);
	if (n->open.n && (n->layout != NODE_BLOCK || (!n->items && !n->tail.n))) {
		VEC_PUSH(y->a, &n->before, ((struct trivia_comment){ n->open, false }));
		n->open = STR_NULL;
	}
	while (trivia_before(&y->t, end, &c))
		VEC_PUSH(y->a, &n->before, c);
	trivia_passed(&y->t, end);
	if (!trivia_on_line(&y->t, end, &trailing))
		return;
	if (last->trailing.n)
		last = n; /* the inner node has a comment already */
	if (last->kind != NODE_SCALAR && last->layout == NODE_BLOCK)
		VEC_PUSH(y->a, &last->tail,
			 ((struct trivia_comment){ trailing, false }));
	else
		last->trailing = trailing;
}

void to_yaml_open(struct to_yaml *y, struct node *n, uint32_t first)
{
	struct str text;

	if (trivia_behind(&y->t, first, &text))
		n->open = text;
}

void to_yaml_tail(struct to_yaml *y, struct node *n, uint32_t end)
{
	struct trivia_comment c;

	while (trivia_before(&y->t, end, &c))
		VEC_PUSH(y->a, &n->tail, c);
}

enum node_layout to_yaml_layout(const struct to_yaml *y, struct span at)
{
	return trivia_is_one_line(&y->t, at) ? NODE_ONE_LINE : NODE_BLOCK;
}

struct node *to_yaml_pol(struct to_yaml *y, const struct ast_stmt *s)
{
	struct node *n = node_new(y->a, NODE_MAP, NODE_BLOCK), *text;
	struct str lines = piece_lines(y->a, s);

	if (trivia_is_one_line(&y->t, s->at) || !memchr(lines.p, '\n', lines.n))
		text = node_text(y->a, piece_stmt(y->a, s));
	else
		text = node_lines(y->a, piece_stmt(y->a, s), lines);
	node_put(n, "pol", text);
	return n;
}

struct str to_yaml_marked(struct to_yaml *y, const struct ast_stmt *s, const char *key)
{
	return str_printf(y->a, "%s%s%s", s->locked ? "locked " : "", key,
			  s->append ? " +=" : "");
}

const struct yml_key *to_yaml_section_key(struct to_yaml *y, enum ast_section_kind sec)
{
	return yml_find(&y->keys, YML_S_FILE, str_from(ast_section_name(sec)));
}
