/*
 * Writes the statements of sections as items of a list.  Each is a mapping: its first
 * key says which statement it is, then come its parts, then its options in order.  The
 * table of keys has the names of the keys and the types of their values.
 */
#include "compiler/format/to_yaml_item.h"

#include "compiler/ast/build.h"
#include "compiler/format/pieces.h"
#include "compiler/format/to_yaml_value.h"

struct item {
	struct to_yaml *y;
	enum yml_scope scope;
	struct node *n;
};

static void put_word(struct item *i, const char *key, struct str word)
{
	node_put(i->n, key, node_text(i->y->a, word));
}

/* Puts values in the type that the table has for the key; none if there are none. */
static void put(struct item *i, const char *key, const struct ast_value *v)
{
	const struct yml_key *k = yml_find(&i->y->keys, i->scope, str_from(key));

	if (v)
		node_put(i->n, key, to_yaml_values(i->y, k->type, v));
}

/* --- options ------------------------------------------------------------------ */

static const struct yml_key *option_key(enum yml_scope scope, const struct ast_option *o)
{
	return yml_key_of(scope, YML_DO_option, (int)o->kind);
}

/* Do all options have keys?  Not if an option is repeated with others between, or if
 * a day is not written as a scalar. */
static bool has_options(const struct item *i, const struct ast_option *o)
{
	const struct ast_option *last = NULL;
	unsigned seen = 0;

	for (; o; last = o, o = o->next) {
		const struct yml_key *k = option_key(i->scope, o);

		if (!k || (seen & 1u << o->kind &&
			   !(last->kind == o->kind && yml_is_repeatable(o->kind, k->type))))
			return false;
		seen |= 1u << o->kind;
		if (o->kind == AST_O_UNTIL &&
		    to_yaml_value(i->y, k->type, o->values)->kind != NODE_SCALAR)
			return false;
	}
	return true;
}

/* Writes adjacent options of one kind as a list of lists; returns the last of them. */
static const struct ast_option *put_row(struct item *i, const struct yml_key *k,
					const struct ast_option *o)
{
	struct node *all = node_new(i->y->a, NODE_LIST, NODE_FILL);

	node_put(i->n, k->name, all);
	for (;; o = o->next) {
		struct node *one = node_new(i->y->a, NODE_LIST, NODE_FILL);

		for (const struct ast_value *v = o->values; v; v = v->next)
			node_add(one, to_yaml_value(i->y, k->type, v));
		node_add(all, one);
		if (!o->next || o->next->kind != o->kind)
			return o;
	}
}

static void put_options(struct item *i, const struct ast_option *o)
{
	for (; o; o = o->next) {
		const struct yml_key *k = option_key(i->scope, o);

		if (o->next && o->next->kind == o->kind)
			o = put_row(i, k, o);
		else if (o->expr)
			node_put(i->n, k->name, to_yaml_expr(i->y, o->expr));
		else if (o->values)
			node_put(i->n, k->name,
				 to_yaml_values(i->y, k->type, o->values));
		else
			node_put(i->n, k->name, node_plain(i->y->a, STR("true")));
	}
}

/* --- heads ---------------------------------------------------------------------- */

/* The function of the front end that reads the head of each statement; 0: none. */
static const enum yml_reader heads[AST_TOOL_EFFECT + 1] = {
	[AST_RULE] = YML_DO_rule,
	[AST_OTHERWISE] = YML_DO_otherwise,
	[AST_OTHERWISE_BY_RISK] = YML_DO_otherwise,
	[AST_RISK] = YML_DO_risk,
	[AST_PROGRAM] = YML_DO_program,
	[AST_WRAPPER] = YML_DO_program,
	[AST_INTERPRETER] = YML_DO_program,
	[AST_TAINT] = YML_DO_values,
	[AST_SAFE] = YML_DO_values,
	[AST_INERT] = YML_DO_values,
	[AST_PIN] = YML_DO_pin,
	[AST_SHELL] = YML_DO_shell,
	[AST_OPAQUE] = YML_DO_opaque,
	[AST_SCRATCH] = YML_DO_values,
	[AST_MOUNT] = YML_DO_mount,
	[AST_MODE] = YML_DO_mode,
	[AST_VIA] = YML_DO_values,
	[AST_HOLD] = YML_DO_values,
	[AST_PUBLISH] = YML_DO_values,
	[AST_NOT_PUBLISH] = YML_DO_values,
	[AST_KEEP] = YML_DO_values,
	[AST_SET] = YML_DO_set,
	[AST_SECRET] = YML_DO_secret,
	[AST_RATE] = YML_DO_rate,
	[AST_ROUTE] = YML_DO_route,
};

/* The head of such a statement in that scope, or NULL. */
static const struct yml_key *head_of(enum yml_scope scope, const struct ast_stmt *s)
{
	enum yml_reader read = heads[s->kind];

	if (!read)
		return NULL;
	if (scope == YML_S_NET && s->kind == AST_RULE && !s->net.hosts)
		return yml_key_of(scope, YML_DO_hostless, 0);
	if (read == YML_DO_rule)
		return yml_key_of(scope, read, (int)s->effect);
	return yml_key_of(scope, read,
			  read == YML_DO_program || read == YML_DO_values ? (int)s->kind
									  : 0);
}

static struct node *by_risk(struct item *i, const struct ast_stmt *s)
{
	struct node *n = node_new(i->y->a, NODE_MAP, to_yaml_layout(i->y, s->at));

	for (const struct ast_value *v = s->pairs; v; v = v->next) {
		struct node before = to_yaml_before(i->y, v->at);
		struct node *effect = node_plain(i->y->a, v->text);

		effect->key = quote_text(i->y->a, v->key);
		to_yaml_attach(i->y, effect, &before, v->at);
		node_add(n, effect);
	}
	return n;
}

static bool is_twice(struct to_yaml *y, const struct ast_value *pairs)
{
	struct map seen;

	map_init(&seen, y->a);
	for (; pairs; pairs = pairs->next)
		if (map_put(&seen, pairs->key, (void *)pairs))
			return true;
	return false;
}

static struct node *head_value(struct item *i, const struct yml_key *head,
			       const struct ast_stmt *s)
{
	if (s->kind == AST_OTHERWISE_BY_RISK)
		return by_risk(i, s);
	if (head->type == YML_T_WORD)
		return node_text(i->y->a, s->name);
	if (head->type == YML_T_EFFECT || head->type == YML_T_DEFAULT_RISK)
		return node_text(i->y->a, str_from(ast_effect_name(s->effect)));
	return to_yaml_values(i->y, head->type,
			      s->net.hosts ? s->net.hosts : s->values);
}

/* --- parts ------------------------------------------------------------------------ */

/* Puts each item of a program with its comments. */
static void put_items(struct item *i, const struct ast_stmt *s)
{
	struct node *n = node_new(i->y->a, NODE_LIST, to_yaml_layout(i->y, s->at));

	to_yaml_open(i->y, i->n, s->items->at.off);
	for (const struct ast_prog_item *p = s->items; p; p = p->next) {
		struct node before = to_yaml_before(i->y, p->at);
		struct node *text = node_text(i->y->a, piece_item(i->y->a, p));

		to_yaml_attach(i->y, text, &before, p->at);
		node_add(n, text);
	}
	to_yaml_tail(i->y, n, s->at.off + s->at.len);
	node_put(i->n, "items", n);
}

static void put_parts(struct item *i, const struct ast_stmt *s)
{
	if (s->kind == AST_MOUNT)
		put(i, "at", s->values->next);
	if (s->ops)
		node_put(i->n, "op", to_yaml_ops(i->y, s->ops));
	switch ((int)s->kind) {
	case AST_RULE:
		if (s->net.proto)
			put_word(i, "proto", s->net.proto->text);
		put(i, "port", s->net.ports);
		if (s->final)
			node_put(i->n, "final", node_plain(i->y->a, STR("true")));
		break;
	case AST_RISK:
		put(i, "patterns", s->values);
		break;
	case AST_PIN:
		put(i, "path", s->values);
		put(i, "sha256", s->values->next);
		break;
	case AST_SHELL:
		put(i, "path", s->values);
		break;
	case AST_SET:
		put(i, "value", s->values);
		break;
	case AST_SECRET:
		put(i, "from", s->values);
		put(i, "value", s->values->next);
		break;
	case AST_RATE:
		put(i, "count", s->values);
		put(i, "per", s->per);
		break;
	case AST_ROUTE:
		put_word(i, "to", s->name);
		if (s->has_else)
			put_word(i, "else", str_from(ast_effect_name(s->effect)));
		break;
	default:
		if (s->items)
			put_items(i, s);
	}
}

static bool has_spelling(const struct item *i, const struct ast_stmt *s)
{
	switch ((int)s->kind) {
	case AST_OTHERWISE_BY_RISK:
		return !is_twice(i->y, s->pairs) && has_options(i, s->options);
	case AST_RATE:
		return to_yaml_value(i->y, YML_T_NUMBER, s->values)->kind ==
			       NODE_SCALAR &&
		       to_yaml_value(i->y, YML_T_NUMBER, s->per)->kind == NODE_SCALAR;
	default:
		return has_options(i, s->options);
	}
}

struct node *to_yaml_item(struct to_yaml *y, enum ast_section_kind sec,
			  const struct ast_stmt *s)
{
	const enum yml_scope scope = to_yaml_section_key(y, sec)->sub;
	const struct yml_key *head = head_of(scope, s);
	struct item i = { y, scope, node_new(y->a, NODE_MAP, NODE_IF_FITS) };
	struct node *value;

	if (!head || !has_spelling(&i, s))
		return NULL;
	value = head_value(&i, head, s);
	value->key = to_yaml_marked(y, s, head->name);
	node_add(i.n, value);
	put_parts(&i, s);
	put_options(&i, s->options);
	if (s->items)
		i.n->layout = to_yaml_layout(y, s->at);
	else if (i.n->items == i.n->last)
		i.n->layout = NODE_BLOCK;
	return i.n;
}
