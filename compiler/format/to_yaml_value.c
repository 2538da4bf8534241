/* Writes values as YAML scalars, if the schema reads the scalar as the same value. */
#include "compiler/format/to_yaml_value.h"

#include "compiler/ast/build.h"
#include "compiler/ast/print_value.h"
#include "compiler/base/num.h"
#include "compiler/frontend/yaml_scalar.h"

#define MAX_DEPTH 12 /* of nested lists and maps; deeper ones are written as `pol` */

static struct node *printed(struct to_yaml *y, const struct ast_value *v)
{
	struct buf b;

	buf_init(&b, y->a);
	ast_print_value(&b, v);
	return node_text(y->a, str_dup(y->a, buf_view(&b)));
}

/* `{pol: TEXT}`: any value, in the spelling of the language. */
static struct node *pol_value(struct to_yaml *y, const struct ast_value *v)
{
	struct node *n = node_new(y->a, NODE_MAP, NODE_ONE_LINE);

	node_put(n, "pol", printed(y, v));
	return n;
}

struct node *to_yaml_expr(struct to_yaml *y, const struct ast_expr *x)
{
	struct buf b;

	buf_init(&b, y->a);
	ast_print_expr(&b, x);
	return node_text(y->a, str_dup(y->a, buf_view(&b)));
}

struct node *to_yaml_ops(struct to_yaml *y, unsigned ops)
{
	static const char *const names[] = { "read", "write", "exec" };
	struct node *n = node_new(y->a, NODE_LIST, NODE_FILL);

	for (unsigned i = 0; i < POL_LEN(names); i++)
		if (ops & 1u << i)
			node_add(n, node_plain(y->a, str_from(names[i])));
	return n->items == n->last && n->items ? n->items : n;
}

/* --- what the reader would take a text for ------------------------------------ */

/* Can YAML hold the text of this string so that it reads back the same? */
static bool is_text(const struct ast_value *v)
{
	if (v->kind != AST_V_STRING || !quote_is_utf8(v->text))
		return false;
	for (size_t i = 2; i < v->text.n; i++)
		if (v->text.p[i] == '$' && v->text.p[i - 1] == '\\' &&
		    v->text.p[i - 2] == '\\')
			return false;
	return true;
}

/* Could the text be read as an import path?  This test is wider than the reader's, so
 * that no such text is written as a string. */
static bool is_import(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (!ast_is_word((struct str){ s.p + i, 1 }) &&
		    !strchr("0123456789.-/", s.p[i]))
			return false;
	return s.n > 0;
}

/* Does a scalar with the text of the value mean the value where `type` is wanted? */
static bool is_scalar(enum yml_type type, const struct ast_value *v)
{
	enum ast_value_kind kind;

	if (v->kind == AST_V_ANY)
		return type == YML_T_HOSTS;
	if (v->kind == AST_V_OPTION || v->kind == AST_V_OPTSPEC)
		return type == YML_T_OPTIONS;
	if (v->kind == AST_V_REGEX)
		return type == YML_T_REGEXES && !v->flags.n && v->text.n &&
		       quote_is_utf8(v->text) && v->text.p[v->text.n - 1] != '\\';
	if (!yml_scalar(type, v->text, &kind) || kind != v->kind)
		return false;
	return kind != AST_V_STRING ||
	       (is_text(v) && !(type == YML_T_IMPORTS && is_import(v->text)));
}

/* --- any value -------------------------------------------------------------------- */

/* Is it a map that stands on several lines, or a list or map that holds one? */
static bool is_on_lines(struct to_yaml *y, const struct ast_value *v)
{
	if (v->kind == AST_V_MAP && !trivia_is_one_line(&y->t, v->at))
		return true;
	for (const struct ast_value *i = v->items; i; i = i->next)
		if (is_on_lines(y, i))
			return true;
	return false;
}

/* Can it be written as a mapping that is not taken for `{pol: TEXT}`? */
static bool is_mapping(struct to_yaml *y, const struct ast_value *v)
{
	struct map seen;

	if (v->items && !v->items->next && str_eqz(v->items->key, "pol"))
		return false;
	map_init(&seen, y->a);
	for (const struct ast_value *i = v->items; i; i = i->next)
		if (!quote_is_key(i->key) || map_put(&seen, i->key, (void *)i))
			return false;
	return true;
}

static struct node *any(struct to_yaml *y, const struct ast_value *v, unsigned depth);

/* Keeps the comments if each entry has a line of its own. */
static struct node *map_entry(struct to_yaml *y, const struct node *map,
			      const struct ast_value *v, unsigned depth)
{
	struct node before = { 0 };
	struct node *n;

	if (map->layout == NODE_BLOCK)
		before = to_yaml_before(y, v->at);
	n = any(y, v, depth);
	n->key = quote_text(y->a, v->key);
	if (map->layout == NODE_BLOCK)
		to_yaml_attach(y, n, &before, v->at);
	return n;
}

static struct node *any(struct to_yaml *y, const struct ast_value *v, unsigned depth)
{
	enum ast_value_kind kind;
	struct node *n;

	if (v->kind == AST_V_STRING)
		return is_text(v) ? node_text(y->a, v->text) : pol_value(y, v);
	if (v->kind != AST_V_LIST && v->kind != AST_V_MAP) {
		bool same = yml_scalar(YML_T_ANY, v->text, &kind) && kind == v->kind;

		/* a colon would make a key; a negative number must fit */
		if (!same || memchr(v->text.p, ':', v->text.n) ||
		    (v->text.p[0] == '-' && !num_i64(v->text, &(int64_t){ 0 })))
			return pol_value(y, v);
		return node_plain(y->a, v->text);
	}
	if (depth == MAX_DEPTH || (v->kind == AST_V_MAP && !is_mapping(y, v)))
		return pol_value(y, v);
	if (v->kind == AST_V_MAP)
		n = node_new(y->a, NODE_MAP,
			     is_on_lines(y, v) ? NODE_BLOCK : NODE_ONE_LINE);
	else
		n = node_new(y->a, NODE_LIST, is_on_lines(y, v) ? NODE_BLOCK : NODE_FILL);
	for (const struct ast_value *i = v->items; i; i = i->next)
		node_add(n, v->kind == AST_V_MAP ? map_entry(y, n, i, depth + 1) :
						   any(y, i, depth + 1));
	return n;
}

/* --- values of a type ----------------------------------------------------------------- */

struct node *to_yaml_value(struct to_yaml *y, enum yml_type type,
			   const struct ast_value *v)
{
	if (type == YML_T_ANY)
		return any(y, v, 0);
	if (type == YML_T_CALLS)
		return printed(y, v);
	if (!is_scalar(type, v))
		return pol_value(y, v);
	if (v->kind == AST_V_NUMBER || v->kind == AST_V_DATE || v->kind == AST_V_RANGE)
		return node_plain(y->a, v->text);
	return node_text(y->a, v->kind == AST_V_ANY ? STR("any") : v->text);
}

struct node *to_yaml_values(struct to_yaml *y, enum yml_type type,
			    const struct ast_value *v)
{
	struct node *n;

	if (!v->next || !yml_is_plural(type))
		return to_yaml_value(y, type, v);
	n = node_new(y->a, NODE_LIST, NODE_FILL);
	for (; v; v = v->next)
		node_add(n, to_yaml_value(y, type, v));
	return n;
}

/* --- pairs ------------------------------------------------------------------------------ */

/* A list, if all its items are scalars of the type. */
static struct node *pair_list(struct to_yaml *y, enum yml_type type,
			      const struct ast_value *v)
{
	struct node *n = node_new(y->a, NODE_LIST, NODE_FILL);

	if (!v->items)
		return pol_value(y, v);
	for (const struct ast_value *i = v->items; i; i = i->next) {
		if (!is_scalar(type, i))
			return pol_value(y, v);
		node_add(n, to_yaml_value(y, type, i));
	}
	return n;
}

struct node *to_yaml_pair(struct to_yaml *y, enum yml_scope scope,
			  const struct ast_stmt *s)
{
	const struct yml_key *k = yml_find(&y->keys, scope, s->name);
	struct node *n;

	/* the reader would take it for something other than a pair */
	if (!k || k->classes || k->type > YML_T_ANY || !str_eqz(s->name, k->name) ||
	    (s->locked && !(k->flags & YML_LOCKABLE)) ||
	    (s->append && !(k->flags & YML_APPEND)))
		return NULL;
	if (s->values->kind == AST_V_LIST && yml_is_plural(k->type))
		n = pair_list(y, k->type, s->values);
	else
		n = to_yaml_value(y, k->type, s->values);
	n->key = to_yaml_marked(y, s, k->name);
	return n;
}
