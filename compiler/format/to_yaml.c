/*
 * A file's statements as YAML: one mapping where no key is needed twice, else
 * a list of mappings, so that their order stays; and where comments go.
 */
#include "compiler/format/to_yaml.h"

#include "compiler/ast/build.h"
#include "compiler/format/convert.h"
#include "compiler/format/pieces.h"

/* --- comments -------------------------------------------------------------------- */

struct node_before ty_before(struct to_yaml *y, struct span at)
{
	struct node_before b = { 0 };
	struct trivia_comment c;

	while (trivia_before(&y->t, at.off, &c))
		VEC_PUSH(y->a, &b.comments, ((struct node_comment){ c.text, c.blank }));
	b.blank = trivia_blank(&y->t, at.off);
	return b;
}

/* The node on whose last line a comment can stand. */
static struct node *last_line(struct node *n)
{
	while (n->kind == NODE_MAP && n->layout == NODE_BLOCK && n->items &&
	       n->items == n->last)
		n = n->items;
	return n;
}

void ty_attach(struct to_yaml *y, struct node *n, const struct node_before *b,
	       struct span at)
{
	uint32_t end = at.off + at.len;
	struct node *last = last_line(n);
	struct trivia_comment c;
	struct str behind;

	n->blank = b->blank;
	for (size_t i = 0; i < b->comments.n; i++)
		VEC_PUSH(y->a, &n->before, b->comments.v[i]);
	if (n->open.n && (n->layout != NODE_BLOCK || (!n->items && !n->tail.n))) {
		VEC_PUSH(y->a, &n->before, ((struct node_comment){ n->open, false }));
		n->open = STR_NULL;
	}
	while (trivia_before(&y->t, end, &c))
		VEC_PUSH(y->a, &n->before, ((struct node_comment){ c.text, c.blank }));
	trivia_passed(&y->t, end);
	if (!trivia_on_line(&y->t, end, &behind))
		return;
	if (last->behind.n)
		last = n; /* a block around what has one already */
	if (last->kind != NODE_SCALAR && last->layout == NODE_BLOCK)
		VEC_PUSH(y->a, &last->tail, ((struct node_comment){ behind, false }));
	else
		last->behind = behind;
}

void ty_open(struct to_yaml *y, struct node *n, uint32_t first)
{
	struct str text;

	if (trivia_behind(&y->t, first, &text))
		n->open = text;
}

void ty_tail(struct to_yaml *y, struct node *n, uint32_t end)
{
	struct trivia_comment c;

	while (trivia_before(&y->t, end, &c))
		VEC_PUSH(y->a, &n->tail, ((struct node_comment){ c.text, c.blank }));
}

enum node_layout ty_layout(const struct to_yaml *y, struct span at)
{
	return trivia_is_one_line(&y->t, at) ? NODE_ONE_LINE : NODE_BLOCK;
}

/* --- statements -------------------------------------------------------------------- */

struct node *ty_pol(struct to_yaml *y, const struct ast_stmt *s)
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

/* One statement of a file: what its key is called and what stands there. */
struct entry {
	struct str key;    /* as it is written */
	struct str base;   /* without marks: stands once in a mapping */
	struct str name;   /* of one of a mapping of names; STR_NULL: of a list */
	bool grouped;      /* neighbours with the same key stand together */
	struct node *value;
};

static struct node *alert_of(struct to_yaml *y, const struct ast_stmt *s)
{
	struct node *n = node_new(y->a, NODE_MAP, NODE_IF_FITS);

	node_put(n, "when", ty_expr(y, s->expr));
	if (s->per)
		node_put(n, "per", ty_value(y, YML_T_NUMBER, s->per));
	node_put(n, "do", ty_value(y, YML_T_WORD, s->values));
	return n;
}

static struct node *assertion_of(struct to_yaml *y, const struct ast_stmt *s)
{
	struct str text = piece_stmt(y->a, s);

	return node_text(y->a, str_sub(text, strlen("assert "), text.n));
}

static struct node *role_of(struct to_yaml *y, const struct ast_stmt *s)
{
	struct node opened = { 0 }, *n;

	ty_open(y, &opened, s->body ? s->body->at.off : s->at.off + s->at.len);
	n = ty_file(y, s->body);
	if (n->layout == NODE_BLOCK)
		n->layout = ty_layout(y, s->at);
	ty_tail(y, n, s->at.off + s->at.len);
	n->open = opened.open;
	return n;
}

static struct str marked(struct to_yaml *y, const struct ast_stmt *s, const char *key)
{
	return str_printf(y->a, "%s%s%s", s->locked ? "locked " : "", key,
			  s->append ? " +=" : "");
}

/* Those that have a name: a mapping of names holds them. */
static bool named(struct to_yaml *y, const struct ast_stmt *s, struct entry *e)
{
	static const struct {
		enum ast_stmt_kind kind;
		const char *key;
	} kinds[] = {
		{ AST_LET, "let" },	{ AST_GROUP, "group" }, { AST_ROLE, "role" },
		{ AST_TOOL, "tool" },	{ AST_ALERT, "alert" }, { AST_SETTING, "setting" },
		{ AST_TEST, "test" },
	};
	size_t i = 0;

	while (i < POL_LEN(kinds) && kinds[i].kind != s->kind)
		i++;
	if (i == POL_LEN(kinds) || !quote_is_key(s->name))
		return false;
	e->base = str_from(kinds[i].key);
	e->key = marked(y, s, kinds[i].key);
	e->name = s->name;
	e->grouped = true;
	return true;
}

static struct node *named_value(struct to_yaml *y, const struct ast_stmt *s)
{
	switch ((int)s->kind) {
	case AST_GROUP:
		return ty_values(y, YML_T_ELEMENTS, s->values);
	case AST_ROLE:
		return role_of(y, s);
	case AST_TOOL:
		return ty_tool(y, s);
	case AST_ALERT:
		return alert_of(y, s);
	case AST_TEST:
		return ty_test(y, s);
	default: /* AST_LET, AST_SETTING */
		return ty_value(y, YML_T_ANY, s->values);
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
		plain_entry(&e, "policy", ty_policy(y, s));
	} else if (s->kind == AST_USE) {
		plain_entry(&e, "use", ty_values(y, YML_T_IMPORTS, s->values));
	} else if (s->kind == AST_ASSERT) {
		plain_entry(&e, "assert", assertion_of(y, s));
		e.grouped = true;
	} else if (s->kind == AST_SECTION) {
		plain_entry(&e, ast_section_name(s->section), ty_section(y, s));
		e.key = marked(y, s, ast_section_name(s->section));
	}
	if (!e.value) {
		plain_entry(&e, "pol", ty_pol(y, s)->items);
		e.grouped = true;
	}
	return e;
}

/* --- mappings --------------------------------------------------------------------------- */

struct file {
	struct to_yaml *y;
	struct node *list;  /* of mappings */
	struct map bases;   /* of the last mapping */
	struct map names;   /* of the last group */
	struct node *group; /* the last entry, where it is one */
};

/* What stands before the first of several stands before all of them. */
static void move_before(struct node *to, struct node *from)
{
	to->before.v = from->before.v;
	to->before.n = to->before.cap = from->before.n;
	to->blank = from->blank;
	from->before.n = from->before.cap = 0;
	from->blank = false;
}

/* An entry of the last mapping, or of a new one where its key is taken. */
static void add_entry(struct file *f, const struct entry *e, struct node *n)
{
	if (!f->list->last || map_get(&f->bases, e->base)) {
		node_add(f->list, node_new(f->y->a, NODE_MAP, NODE_BLOCK));
		map_init(&f->bases, f->y->a);
	}
	map_put(&f->bases, e->base, n);
	n->key = e->key;
	if (!f->list->last->items)
		move_before(f->list->last, n);
	node_add(f->list->last, n);
}

static void add_grouped(struct file *f, const struct entry *e)
{
	bool is_named = e->name.p != NULL;

	if (!f->group || !str_eq(f->group->key, e->key) ||
	    (is_named && map_get(&f->names, e->name))) {
		f->group = node_new(f->y->a, is_named ? NODE_MAP : NODE_LIST, NODE_BLOCK);
		map_init(&f->names, f->y->a);
		move_before(f->group, e->value);
		add_entry(f, e, f->group);
	}
	if (is_named) {
		map_put(&f->names, e->name, e->value);
		e->value->key = quote_text(f->y->a, e->name);
	}
	node_add(f->group, e->value);
}

struct node *ty_file(struct to_yaml *y, const struct ast_stmt *stmts)
{
	struct file f = { .y = y };

	f.list = node_new(y->a, NODE_LIST, NODE_BLOCK);
	for (const struct ast_stmt *s = stmts; s; s = s->next) {
		struct node_before before = ty_before(y, s->at);
		struct entry e = entry_of(y, s);

		e.value->next = NULL;
		ty_attach(y, e.value, &before, s->at);
		if (e.grouped) {
			add_grouped(&f, &e);
			continue;
		}
		f.group = NULL;
		add_entry(&f, &e, e.value);
	}
	if (!f.list->last)
		return node_new(y->a, NODE_MAP, NODE_BLOCK);
	if (f.list->items != f.list->last)
		return f.list;
	move_before(f.list->last->items, f.list->last);
	return f.list->last;
}

void convert_to_yaml(struct buf *b, const struct source_map *map,
		     const struct ast_file *tree)
{
	struct to_yaml y = { .a = b->a };
	struct node *top;

	trivia_init(&y.t, map, tree);
	yml_index(&y.keys, b->a);
	top = ty_file(&y, tree->stmts);
	ty_tail(&y, top, UINT32_MAX);
	node_write(b, top);
}
