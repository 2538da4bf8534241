/*
 * Writes what stands in braces: lists of statements, mappings of pairs (a list of
 * mappings if a key is needed twice), and bodies of both kinds.
 */
#include "compiler/format/to_yaml_body.h"

#include "compiler/ast/build.h"
#include "compiler/format/pieces.h"
#include "compiler/format/to_yaml_item.h"
#include "compiler/format/to_yaml_value.h"

static uint32_t end_of(struct span at)
{
	return at.off + at.len;
}

/* Takes the comment after the opening brace of a body. */
static void begin(struct to_yaml *y, struct node *n, const struct ast_stmt *s)
{
	to_yaml_open(y, n, s->body ? s->body->at.off : end_of(s->at));
}

static struct node *block(struct to_yaml *y, const struct ast_stmt *s);

/* --- lists ---------------------------------------------------------------------- */

static struct node *items_of(struct to_yaml *y, const struct ast_stmt *s)
{
	struct node *n = node_new(y->a, NODE_LIST, to_yaml_layout(y, s->at));

	for (const struct ast_stmt *k = s->body; k; k = k->next) {
		struct node before = to_yaml_before(y, k->at);
		struct node *item = k->kind == AST_RUNNER ? block(y, k) :
							    to_yaml_item(y, s->section, k);

		if (!item)
			item = to_yaml_pol(y, k);
		to_yaml_attach(y, item, &before, k->at);
		node_add(n, item);
	}
	to_yaml_tail(y, n, end_of(s->at));
	return n;
}

/* --- mappings of pairs ------------------------------------------------------------ */

/* An entry of a mapping; *ret_base: its key without marks. */
static struct node *entry_of(struct to_yaml *y, enum yml_scope scope,
			     const struct ast_stmt *s, struct str *ret_base)
{
	struct node *n = NULL;

	*ret_base = s->name;
	if (s->kind == AST_PAIR) {
		n = to_yaml_pair(y, scope, s);
	} else if (s->kind == AST_TOOL_EFFECT) {
		*ret_base = STR("effect");
		n = node_plain(y->a, str_from(ast_effect_name(s->effect)));
		n->key = *ret_base;
	} else if (s->kind == AST_SECTION) {
		*ret_base = str_from(ast_section_name(s->section));
		n = to_yaml_section(y, s);
		n->key = to_yaml_marked(y, s, ast_section_name(s->section));
	}
	if (n)
		return n;
	*ret_base = STR("pol");
	n = to_yaml_pol(y, s)->items;
	n->next = NULL;
	return n;
}

/*
 * One mapping after the other: a key that the last mapping has already begins a new
 * one.  The rates of a session are items of the list, between the mappings.
 */
static struct node *pairs_of(struct to_yaml *y, enum yml_scope scope,
			     const struct ast_stmt *s)
{
	enum node_layout layout = to_yaml_layout(y, s->at);
	struct node *list = node_new(y->a, NODE_LIST, layout), *map = NULL;
	bool rates = false;
	struct map seen; /* keys of the last mapping, without their marks */

	map_init(&seen, y->a);
	for (const struct ast_stmt *k = s->body; k; k = k->next) {
		struct node before = to_yaml_before(y, k->at);
		struct node *n =
			k->kind == AST_RATE ? to_yaml_item(y, s->section, k) : NULL;
		struct str base;

		rates |= k->kind == AST_RATE;
		if (n) {
			to_yaml_attach(y, n, &before, k->at);
			node_add(list, n);
			map = NULL;
			continue;
		}
		n = entry_of(y, scope, k, &base);
		to_yaml_attach(y, n, &before, k->at);
		if (!map || map_get(&seen, base)) {
			map = node_new(y->a, NODE_MAP, layout);
			map_init(&seen, y->a);
			node_add(list, map);
		}
		map_put(&seen, base, n);
		node_add(map, n);
	}
	if (!list->items)
		list = node_new(y->a, NODE_MAP, layout);
	else if (!rates && list->items == list->last)
		list = list->items;
	to_yaml_tail(y, list, end_of(s->at));
	return list;
}

static struct node *block(struct to_yaml *y, const struct ast_stmt *s)
{
	struct node *n = node_new(y->a, NODE_MAP, NODE_IF_FITS);
	struct node *name = node_text(y->a, s->name);

	name->key = to_yaml_marked(y, s, "block");
	node_add(n, name);
	node_put(n, "body", pairs_of(y, YML_S_BLOCK, s));
	if (s->body || n->last->tail.n)
		n->layout = to_yaml_layout(y, s->at);
	return n;
}

struct node *to_yaml_tool(struct to_yaml *y, const struct ast_stmt *s)
{
	struct node *n;
	struct node opened = { 0 };

	begin(y, &opened, s);
	n = pairs_of(y, YML_S_TOOL, s);
	n->open = opened.open;
	return n;
}

/* Only a mapping can stand here, with each key once and only keys of the schema. */
struct node *to_yaml_policy(struct to_yaml *y, const struct ast_stmt *s)
{
	struct node *n = node_new(y->a, NODE_MAP, to_yaml_layout(y, s->at));
	struct map seen;

	map_init(&seen, y->a);
	for (const struct ast_stmt *k = s->body; k; k = k->next)
		if (str_eqz(k->name, "name") || !to_yaml_pair(y, YML_S_POLICY, k) ||
		    map_put(&seen, k->name, (void *)k))
			return NULL;
	node_put(n, "name", node_text(y->a, s->name));
	begin(y, n, s);
	for (const struct ast_stmt *k = s->body; k; k = k->next) {
		struct node before = to_yaml_before(y, k->at);
		struct node *entry = to_yaml_pair(y, YML_S_POLICY, k);

		to_yaml_attach(y, entry, &before, k->at);
		node_add(n, entry);
	}
	to_yaml_tail(y, n, end_of(s->at));
	if (!s->body && !n->tail.n && !n->open.n)
		n->layout = NODE_ONE_LINE;
	return n;
}

/* --- sections ------------------------------------------------------------------------ */

/* Are there only a mode and runners, each once?  Then a mapping can hold them. */
static bool is_runner_map(struct to_yaml *y, const struct ast_stmt *s)
{
	struct map seen;

	map_init(&seen, y->a);
	for (const struct ast_stmt *k = s->body; k; k = k->next) {
		bool mode = k->kind == AST_MODE;
		struct str key = mode ? STR("mode") : k->name;

		if ((!mode && k->kind != AST_RUNNER) || !quote_is_key(key) ||
		    (!mode && (str_eqz(key, "mode") || str_eqz(key, "pol"))) ||
		    map_put(&seen, key, (void *)k))
			return false;
	}
	return s->body != NULL;
}

static struct node *runner_map(struct to_yaml *y, const struct ast_stmt *s)
{
	struct node *n = node_new(y->a, NODE_MAP, to_yaml_layout(y, s->at));

	for (const struct ast_stmt *k = s->body; k; k = k->next) {
		struct node before = to_yaml_before(y, k->at);
		struct node opened = { 0 }, *entry;
		bool mode = k->kind == AST_MODE;

		if (!mode)
			begin(y, &opened, k);
		entry = mode ? node_text(y->a, k->name) : pairs_of(y, YML_S_BLOCK, k);
		entry->open = opened.open;
		entry->key = str_printf(y->a, "%s%.*s", k->locked ? "locked " : "",
					STR_ARG(mode ? STR("mode") : k->name));
		entry->key = k->locked ? entry->key : quote_text(y->a, entry->key);
		to_yaml_attach(y, entry, &before, k->at);
		node_add(n, entry);
	}
	to_yaml_tail(y, n, end_of(s->at));
	return n;
}

/* `network NAME { … }` */
static struct node *network_of(struct to_yaml *y, const struct ast_stmt *s)
{
	struct node *n = node_new(y->a, NODE_MAP, to_yaml_layout(y, s->at));

	/* `network: limited` alone would also open the default domains */
	if (!s->body && !str_eqz(s->name, "limited"))
		return node_text(y->a, s->name);
	node_put(n, "mode", node_text(y->a, s->name));
	if (s->body)
		node_put(n, "rules", items_of(y, s));
	else
		n->layout = NODE_ONE_LINE;
	return n;
}

static struct node *body_of(struct to_yaml *y, const struct ast_stmt *s)
{
	const struct yml_key *k = to_yaml_section_key(y, s->section);

	switch ((int)k->type) {
	case YML_T_PAIRS:
	case YML_T_SESSION:
		return pairs_of(y, k->sub, s);
	case YML_T_RUNNER:
		return is_runner_map(y, s) ? runner_map(y, s) : items_of(y, s);
	case YML_T_NETWORK:
		return s->name.n ? network_of(y, s) : items_of(y, s);
	default:
		return items_of(y, s);
	}
}

struct node *to_yaml_section(struct to_yaml *y, const struct ast_stmt *s)
{
	struct node opened = { 0 }, *n;

	begin(y, &opened, s);
	n = body_of(y, s);
	n->open = opened.open;
	return n;
}

/* --- tests ------------------------------------------------------------------------------ */

struct node *to_yaml_test(struct to_yaml *y, const struct ast_stmt *s)
{
	struct node *n, *list = node_new(y->a, NODE_LIST, to_yaml_layout(y, s->at));
	struct node opened = { 0 };

	to_yaml_open(y, &opened, s->cases ? s->cases->at.off : end_of(s->at));
	for (const struct ast_test_case *c = s->cases; c; c = c->next) {
		struct node before = to_yaml_before(y, c->at);
		struct node *text = node_text(y->a, piece_case(y->a, c));

		to_yaml_attach(y, text, &before, c->at);
		node_add(list, text);
	}
	to_yaml_tail(y, list, end_of(s->at));
	n = list;
	if (s->expr) {
		n = node_new(y->a, NODE_MAP,
			     s->cases || list->tail.n || opened.open.n ?
				     to_yaml_layout(y, s->at) :
				     NODE_ONE_LINE);
		node_put(n, "when", to_yaml_expr(y, s->expr));
		node_put(n, "cases", list);
	}
	n->open = opened.open;
	return n;
}
