/*
 * What stands in braces: lists of statements, mappings of pairs (a list of
 * mappings where a key is needed twice), and the bodies of both kinds.
 */
#include "compiler/format/to_yaml.h"

#include "compiler/ast/build.h"
#include "compiler/format/pieces.h"

static uint32_t end_of(struct span at)
{
	return at.off + at.len;
}

/* The comments of a body around what `fill` makes of its statements. */
static void begin(struct to_yaml *y, struct node *n, const struct ast_stmt *s)
{
	ty_open(y, n, s->body ? s->body->at.off : end_of(s->at));
}

/* --- lists ---------------------------------------------------------------------- */

static struct node *items_of(struct to_yaml *y, const struct ast_stmt *s)
{
	struct node *n = node_new(y->a, NODE_LIST, ty_layout(y, s->at));

	for (const struct ast_stmt *k = s->body; k; k = k->next) {
		struct node_before before = ty_before(y, k->at);
		struct node *item = ty_item(y, s->section, k);

		if (!item)
			item = ty_pol(y, k);
		ty_attach(y, item, &before, k->at);
		node_add(n, item);
	}
	ty_tail(y, n, end_of(s->at));
	return n;
}

/* --- mappings of pairs ------------------------------------------------------------ */

/* Mappings one after another; a key that stands in the last begins a new one. */
struct maps {
	struct to_yaml *y;
	struct node *list;
	struct map seen; /* keys of the last mapping, without their marks */
	enum node_layout layout;
};

static void maps_init(struct maps *m, struct to_yaml *y, enum node_layout layout)
{
	*m = (struct maps){ .y = y, .layout = layout };
	m->list = node_new(y->a, NODE_LIST, layout);
	map_init(&m->seen, y->a);
}

static void maps_add(struct maps *m, struct str base, struct node *entry)
{
	if (!m->list->last || map_get(&m->seen, base)) {
		node_add(m->list, node_new(m->y->a, NODE_MAP, m->layout));
		map_init(&m->seen, m->y->a);
	}
	map_put(&m->seen, base, entry);
	node_add(m->list->last, entry);
}

/* One mapping, or the list of them. */
static struct node *maps_end(struct maps *m)
{
	if (!m->list->last)
		return node_new(m->y->a, NODE_MAP, m->layout);
	return m->list->items == m->list->last ? m->list->last : m->list;
}

static struct node *pol_entry(struct to_yaml *y, const struct ast_stmt *s)
{
	struct node *n = ty_pol(y, s)->items;

	n->next = NULL;
	return n;
}

static struct node *effect_entry(struct to_yaml *y, const struct ast_stmt *s)
{
	struct node *n = node_plain(y->a, str_from(ast_effect_name(s->effect)));

	n->key = STR("effect");
	return n;
}

static struct node *section_entry(struct to_yaml *y, const struct ast_stmt *s)
{
	struct node *n = ty_section(y, s);

	n->key = str_printf(y->a, "%s%s", s->locked ? "locked " : "",
			    ast_section_name(s->section));
	return n;
}

/* An entry of a mapping; *ret_base: what it is called without marks. */
static struct node *entry_of(struct to_yaml *y, enum yml_scope scope,
			     const struct ast_stmt *s, struct str *ret_base)
{
	struct node *n = NULL;

	*ret_base = s->name;
	if (s->kind == AST_PAIR) {
		n = ty_pair(y, scope, s);
	} else if (s->kind == AST_TOOL_EFFECT) {
		*ret_base = STR("effect");
		n = effect_entry(y, s);
	} else if (s->kind == AST_SECTION) {
		*ret_base = str_from(ast_section_name(s->section));
		n = section_entry(y, s);
	}
	if (n)
		return n;
	*ret_base = STR("pol");
	return pol_entry(y, s);
}

static struct node *pairs_of(struct to_yaml *y, enum yml_scope scope,
			     const struct ast_stmt *s)
{
	struct maps m;
	struct node *n;

	maps_init(&m, y, ty_layout(y, s->at));
	for (const struct ast_stmt *k = s->body; k; k = k->next) {
		struct node_before before = ty_before(y, k->at);
		struct str base;
		struct node *entry = entry_of(y, scope, k, &base);

		ty_attach(y, entry, &before, k->at);
		maps_add(&m, base, entry);
	}
	n = maps_end(&m);
	ty_tail(y, n, end_of(s->at));
	return n;
}

struct node *ty_block(struct to_yaml *y, const struct ast_stmt *s)
{
	return pairs_of(y, YML_S_BLOCK, s);
}

struct node *ty_tool(struct to_yaml *y, const struct ast_stmt *s)
{
	struct node *n;
	struct node opened = { 0 };

	begin(y, &opened, s);
	n = pairs_of(y, YML_S_TOOL, s);
	n->open = opened.open;
	return n;
}

/* Only a mapping has a place here: each key once, and each of the schema. */
struct node *ty_policy(struct to_yaml *y, const struct ast_stmt *s)
{
	struct node *n = node_new(y->a, NODE_MAP, ty_layout(y, s->at));
	struct map seen;

	map_init(&seen, y->a);
	for (const struct ast_stmt *k = s->body; k; k = k->next)
		if (str_eqz(k->name, "name") || !ty_pair(y, YML_S_POLICY, k) ||
		    map_put(&seen, k->name, (void *)k))
			return NULL;
	node_put(n, "name", node_text(y->a, s->name));
	begin(y, n, s);
	for (const struct ast_stmt *k = s->body; k; k = k->next) {
		struct node_before before = ty_before(y, k->at);
		struct node *entry = ty_pair(y, YML_S_POLICY, k);

		ty_attach(y, entry, &before, k->at);
		node_add(n, entry);
	}
	ty_tail(y, n, end_of(s->at));
	if (!s->body && !n->tail.n && !n->open.n)
		n->layout = NODE_ONE_LINE;
	return n;
}

/* --- sections ------------------------------------------------------------------------ */

/* Rates are items of a list, pairs between them mappings. */
static struct node *session_of(struct to_yaml *y, const struct ast_stmt *s)
{
	struct node *n = node_new(y->a, NODE_LIST, ty_layout(y, s->at)), *pairs = NULL;
	struct map seen;

	map_init(&seen, y->a);
	for (const struct ast_stmt *k = s->body; k; k = k->next) {
		struct node_before before = ty_before(y, k->at);
		struct node *item = k->kind == AST_RATE ? ty_item(y, s->section, k) : NULL;
		struct str base = STR("pol");

		if (item) {
			ty_attach(y, item, &before, k->at);
			node_add(n, item);
			pairs = NULL;
			continue;
		}
		item = k->kind == AST_RATE ? pol_entry(y, k) :
					     entry_of(y, YML_S_SESSION, k, &base);
		ty_attach(y, item, &before, k->at);
		if (!pairs || map_get(&seen, base)) {
			pairs = node_new(y->a, NODE_MAP, ty_layout(y, s->at));
			map_init(&seen, y->a);
			node_add(n, pairs);
		}
		map_put(&seen, base, item);
		node_add(pairs, item);
	}
	ty_tail(y, n, end_of(s->at));
	return n;
}

static bool has_rates(const struct ast_stmt *s)
{
	for (const struct ast_stmt *k = s->body; k; k = k->next)
		if (k->kind == AST_RATE)
			return true;
	return false;
}

/* Only a mode and runners, each once? Then it is a mapping of them. */
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
	struct node *n = node_new(y->a, NODE_MAP, ty_layout(y, s->at));

	for (const struct ast_stmt *k = s->body; k; k = k->next) {
		struct node_before before = ty_before(y, k->at);
		struct node opened = { 0 }, *entry;
		bool mode = k->kind == AST_MODE;

		if (!mode)
			begin(y, &opened, k);
		entry = mode ? node_text(y->a, k->name) : ty_block(y, k);
		entry->open = opened.open;
		entry->key = str_printf(y->a, "%s%.*s", k->locked ? "locked " : "",
					STR_ARG(mode ? STR("mode") : k->name));
		entry->key = k->locked ? entry->key : quote_text(y->a, entry->key);
		ty_attach(y, entry, &before, k->at);
		node_add(n, entry);
	}
	ty_tail(y, n, end_of(s->at));
	return n;
}

/* `network NAME { … }` */
static struct node *network_of(struct to_yaml *y, const struct ast_stmt *s)
{
	struct node *n = node_new(y->a, NODE_MAP, ty_layout(y, s->at));

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
	switch ((int)s->section) {
	case AST_SEC_LIMITS:
		return pairs_of(y, YML_S_LIMITS, s);
	case AST_SEC_AUDIT:
		return pairs_of(y, YML_S_AUDIT, s);
	case AST_SEC_SESSION:
		return has_rates(s) ? session_of(y, s) : pairs_of(y, YML_S_SESSION, s);
	case AST_SEC_RUNNER:
		return is_runner_map(y, s) ? runner_map(y, s) : items_of(y, s);
	case AST_SEC_NETWORK:
		return s->name.n ? network_of(y, s) : items_of(y, s);
	default:
		return items_of(y, s);
	}
}

struct node *ty_section(struct to_yaml *y, const struct ast_stmt *s)
{
	struct node opened = { 0 }, *n;

	begin(y, &opened, s);
	n = body_of(y, s);
	n->open = opened.open;
	return n;
}

/* --- tests ------------------------------------------------------------------------------ */

struct node *ty_test(struct to_yaml *y, const struct ast_stmt *s)
{
	struct node *n, *list = node_new(y->a, NODE_LIST, ty_layout(y, s->at));
	struct node opened = { 0 };

	ty_open(y, &opened, s->cases ? s->cases->at.off : end_of(s->at));
	for (const struct ast_test_case *c = s->cases; c; c = c->next) {
		struct node_before before = ty_before(y, c->at);
		struct node *text = node_text(y->a, piece_case(y->a, c));

		ty_attach(y, text, &before, c->at);
		node_add(list, text);
	}
	ty_tail(y, list, end_of(s->at));
	n = list;
	if (s->expr) {
		n = node_new(y->a, NODE_MAP,
			     s->cases || list->tail.n || opened.open.n ?
				     ty_layout(y, s->at) :
				     NODE_ONE_LINE);
		node_put(n, "when", ty_expr(y, s->expr));
		node_put(n, "cases", list);
	}
	n->open = opened.open;
	return n;
}
