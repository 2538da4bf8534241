/*
 * Writes the statements of a file as YAML: one mapping if no key is needed twice, else
 * a list of mappings, so that the order stays the same.
 */
#include "compiler/format/convert.h"

#include "compiler/ast/build.h"
#include "compiler/format/pieces.h"
#include "compiler/format/to_yaml_body.h"
#include "compiler/format/to_yaml_value.h"

/* One statement of a file: its key and its value. */
struct entry {
	struct str key;    /* as it is written */
	struct str base;   /* without marks: may stand only once in a mapping */
	struct str name;   /* in a mapping of names; STR_NULL: in a list */
	bool grouped;      /* adjacent entries with the same key stand together */
	struct node *value;
};

static struct node *alert_of(struct to_yaml *y, const struct ast_stmt *s)
{
	struct node *n = node_new(y->a, NODE_MAP, NODE_IF_FITS);

	node_put(n, "when", to_yaml_expr(y, s->expr));
	if (s->per)
		node_put(n, "per", to_yaml_value(y, YML_T_NUMBER, s->per));
	node_put(n, "do", to_yaml_value(y, YML_T_WORD, s->values));
	return n;
}

static struct node *assertion_of(struct to_yaml *y, const struct ast_stmt *s)
{
	struct str text = piece_stmt(y->a, s);

	return node_text(y->a, str_sub(text, strlen("assert "), text.n));
}

static struct node *file(struct to_yaml *y, const struct ast_stmt *stmts);

static struct node *role_of(struct to_yaml *y, const struct ast_stmt *s)
{
	struct node opened = { 0 }, *n;

	to_yaml_open(y, &opened, s->body ? s->body->at.off : s->at.off + s->at.len);
	n = file(y, s->body);
	if (n->layout == NODE_BLOCK)
		n->layout = to_yaml_layout(y, s->at);
	to_yaml_tail(y, n, s->at.off + s->at.len);
	n->open = opened.open;
	return n;
}

/* Is it a statement with a name?  Then a mapping of names holds it. */
static bool named(struct to_yaml *y, const struct ast_stmt *s, struct entry *e)
{
	size_t i = 0;

	while (i < yml_nkeys &&
	       (yml_keys[i].type != YML_T_NAMED || yml_keys[i].arg != (int)s->kind))
		i++;
	if (i == yml_nkeys || !quote_is_key(s->name))
		return false;
	e->base = str_from(yml_keys[i].name);
	e->key = to_yaml_marked(y, s, yml_keys[i].name);
	e->name = s->name;
	e->grouped = true;
	return true;
}

static struct node *named_value(struct to_yaml *y, const struct ast_stmt *s)
{
	switch ((int)s->kind) {
	case AST_GROUP:
		return to_yaml_values(y, YML_T_ELEMENTS, s->values);
	case AST_ROLE:
		return role_of(y, s);
	case AST_TOOL:
		return to_yaml_tool(y, s);
	case AST_ALERT:
		return alert_of(y, s);
	case AST_TEST:
		return to_yaml_test(y, s);
	default: /* AST_LET, AST_SETTING */
		return to_yaml_value(y, YML_T_ANY, s->values);
	}
}

static void plain_entry(struct entry *e, const char *key, struct node *value)
{
	e->key = e->base = str_from(key);
	e->value = value;
}

static struct entry entry_of(struct to_yaml *y, const struct ast_stmt *s)
{
	struct entry e = { 0 };

	if (named(y, s, &e)) {
		e.value = named_value(y, s);
	} else if (s->kind == AST_POLICY) {
		plain_entry(&e, "policy", to_yaml_policy(y, s));
	} else if (s->kind == AST_USE) {
		plain_entry(&e, "use", to_yaml_values(y, YML_T_IMPORTS, s->values));
	} else if (s->kind == AST_ASSERT) {
		plain_entry(&e, "assert", assertion_of(y, s));
		e.grouped = true;
	} else if (s->kind == AST_SECTION) {
		plain_entry(&e, ast_section_name(s->section), to_yaml_section(y, s));
		e.key = to_yaml_marked(y, s, ast_section_name(s->section));
	}
	if (!e.value) {
		plain_entry(&e, "pol", to_yaml_pol(y, s)->items);
		e.grouped = true;
	}
	return e;
}

/* --- mappings --------------------------------------------------------------------------- */

struct mappings {
	struct to_yaml *y;
	struct node *list;  /* list of mappings */
	struct map bases;   /* keys of the last mapping */
	struct map names;   /* names of the last group */
	struct node *group; /* the last entry, if it is a group */
};

/* Comments before the first entry of a group stand before the whole group. */
static void move_before(struct node *to, struct node *from)
{
	to->before.v = from->before.v;
	to->before.n = to->before.cap = from->before.n;
	to->blank = from->blank;
	from->before.n = from->before.cap = 0;
	from->blank = false;
}

/* Adds an entry to the last mapping, or to a new one if its key is taken. */
static void add_entry(struct mappings *m, const struct entry *e, struct node *n)
{
	if (!m->list->last || map_get(&m->bases, e->base)) {
		node_add(m->list, node_new(m->y->a, NODE_MAP, NODE_BLOCK));
		map_init(&m->bases, m->y->a);
	}
	map_put(&m->bases, e->base, n);
	n->key = e->key;
	if (!m->list->last->items)
		move_before(m->list->last, n);
	node_add(m->list->last, n);
}

static void add_grouped(struct mappings *m, const struct entry *e)
{
	bool is_named = e->name.p != NULL;

	if (!m->group || !str_eq(m->group->key, e->key) ||
	    (is_named && map_get(&m->names, e->name))) {
		m->group = node_new(m->y->a, is_named ? NODE_MAP : NODE_LIST, NODE_BLOCK);
		map_init(&m->names, m->y->a);
		move_before(m->group, e->value);
		add_entry(m, e, m->group);
	}
	if (is_named) {
		map_put(&m->names, e->name, e->value);
		e->value->key = quote_text(m->y->a, e->name);
	}
	node_add(m->group, e->value);
}

static struct node *file(struct to_yaml *y, const struct ast_stmt *stmts)
{
	struct mappings m = { .y = y };

	m.list = node_new(y->a, NODE_LIST, NODE_BLOCK);
	for (const struct ast_stmt *s = stmts; s; s = s->next) {
		struct node before = to_yaml_before(y, s->at);
		struct entry e = entry_of(y, s);

		e.value->next = NULL;
		to_yaml_attach(y, e.value, &before, s->at);
		if (e.grouped) {
			add_grouped(&m, &e);
			continue;
		}
		m.group = NULL;
		add_entry(&m, &e, e.value);
	}
	if (!m.list->last)
		return node_new(y->a, NODE_MAP, NODE_BLOCK);
	if (m.list->items != m.list->last)
		return m.list;
	move_before(m.list->last->items, m.list->last);
	return m.list->last;
}

void convert_to_yaml(struct buf *b, const struct source_map *map,
		     const struct ast_file *tree)
{
	struct to_yaml y = { .a = b->a };
	struct node *top;

	trivia_init(&y.t, map, tree);
	yml_index(&y.keys, b->a);
	top = file(&y, tree->stmts);
	to_yaml_tail(&y, top, UINT32_MAX);
	node_write(b, top);
}
