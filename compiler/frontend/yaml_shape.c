/*
 * Decides which keys a mapping may have (each once) and which function reads them.
 * For items that are statements, the head says which statement; the other keys are
 * its parts and options.
 */
#include "compiler/frontend/yaml_shape.h"

#define B (y->b)

/* --- nodes ----------------------------------------------------------- */

bool yml_is_nothing(const struct yml_node *n)
{
	return n->kind == YML_SCALAR && n->plain && !n->text.n;
}

/* A long value is shown by its first line. */
static struct span first_line(struct yml *y, struct span at)
{
	const char *p = y->map->files.v[at.file].text.p + at.off;
	const char *line = at.len ? memchr(p, '\n', at.len) : NULL;

	if (line)
		at.len = (uint32_t)(line - p);
	return at;
}

struct diag *yml_wrong_shape(struct yml *y, const struct yml_node *n,
			     const char *wanted)
{
	static const char *const shapes[] = {
		[YML_SCALAR] = "a text", [YML_LIST] = "a list", [YML_MAP] = "a mapping"
	};

	if (yml_is_nothing(n))
		return diag_add(y->sink, DIAG_YAML_EMPTY, n->at,
				"nothing stands here, wanted: %s", wanted);
	return diag_add(y->sink, DIAG_YAML_SHAPE, first_line(y, n->at),
			"%s stands here, wanted: %s", shapes[n->kind], wanted);
}

bool yml_text(struct yml *y, const struct yml_node *n, const char *wanted,
	      struct str *ret)
{
	if (n->kind != YML_SCALAR || yml_is_nothing(n)) {
		yml_wrong_shape(y, n, wanted);
		return false;
	}
	*ret = n->text;
	return true;
}

struct span yml_join(const struct yml_node *key, const struct yml_node *value)
{
	if (value->at.off < key->at.off) /* the content of an alias stands elsewhere */
		return key->at;
	return span_join(key->at, value->at);
}

const struct yml_item *yml_list(const struct yml_node *n, struct yml_item *one)
{
	if (n->kind == YML_LIST)
		return n->items;
	*one = (struct yml_item){ .value = (struct yml_node *)(uintptr_t)n };
	return one;
}

/* --- entries --------------------------------------------------------- */

static struct diag *unknown_key(struct yml *y, const struct yml_node *key,
				struct str name, enum yml_scope scope)
{
	const char *near = yml_suggest(y->a, scope, name);
	struct diag *d =
		diag_add(y->sink, DIAG_YAML_UNKNOWN_KEY, key->at,
			 "'%.*s' is no key of %s", STR_ARG(name), yml_scope_doc(scope));

	if (near)
		diag_help(y->sink, d, "did you mean '%s'?", near);
	return d;
}

/* Reads "locked NAME" and "NAME +="; false if the key takes no such mark. */
static bool read_marks(struct yml *y, struct yml_entry *e, enum yml_scope scope)
{
	struct str name = e->name->text;

	e->key = yml_find(&y->keys, scope, name);
	if (e->key)
		return true;
	if (str_starts(name, STR("locked "))) {
		e->locked = true;
		name = str_sub(name, 7, name.n - 7);
	}
	if (str_ends(name, STR(" +="))) {
		e->append = true;
		name.n -= 3;
	}
	e->key = yml_find(&y->keys, scope, name);
	if (!e->key) {
		unknown_key(y, e->name, name, scope);
		return false;
	}
	if ((e->locked && !(e->key->flags & YML_LOCKABLE)) ||
	    (e->append && !(e->key->flags & YML_APPEND))) {
		diag_add(y->sink, DIAG_YAML_PLACE, e->name->at,
			 "'%s' cannot stand with '%s'",
			 e->locked && !(e->key->flags & YML_LOCKABLE) ? "locked" : "+=",
			 e->key->name);
		return false;
	}
	return true;
}

static bool is_twice(struct yml *y, const struct yml_entry *all,
		     const struct yml_entry *e)
{
	struct diag *d;

	for (; all; all = all->next) {
		if (all->key != e->key || (e->key->flags & YML_REPEATS))
			continue;
		d = diag_add(y->sink, DIAG_YAML_DUPLICATE_KEY, e->name->at,
			     "the key '%.*s' stands twice", STR_ARG(e->name->text));
		diag_note(y->sink, d, all->name->at, "the first one is here");
		return true;
	}
	return false;
}

/* Are all needed keys there?  (Needed options are checked with their statement.) */
static bool has_needed(struct yml *y, const struct yml_node *n, enum yml_scope scope,
		       const struct yml_entry *all)
{
	bool ok = true;

	for (size_t i = 0; i < yml_nkeys; i++) {
		const struct yml_key *k = &yml_keys[i];

		if (k->scope != scope || !(k->flags & YML_NEEDED) || k->classes)
			continue;
		if (!yml_get(all, k->name)) {
			ok = false;
			struct span at = n->at;

			at.len = at.len ? 1 : 0;
			diag_add(y->sink, DIAG_YAML_MISSING, at,
				 "%s needs the key '%s'", yml_scope_doc(scope),
				 k->name);
		}
	}
	return ok;
}

struct yml_entry *yml_entries(struct yml *y, const struct yml_node *n,
			      enum yml_scope scope, bool *ret_ok)
{
	struct yml_entry *head = NULL, **tail = &head;

	*ret_ok = false;
	if (n->kind != YML_MAP) {
		yml_wrong_shape(y, n, "a mapping");
		return NULL;
	}
	*ret_ok = true;
	for (const struct yml_item *i = n->items; i && !yml_stop(y); i = i->next) {
		struct yml_entry *e = ARENA_NEW(y->a, struct yml_entry);

		*e = (struct yml_entry){ .name = i->key,
					 .value = i->value,
					 .node = n,
					 .at = yml_join(i->key, i->value) };
		if (!read_marks(y, e, scope) || is_twice(y, head, e)) {
			*ret_ok = false;
			continue;
		}
		*tail = e;
		tail = &e->next;
	}
	for (struct yml_entry *e = head; e; e = e->next)
		e->all = head;
	if (*ret_ok)
		*ret_ok = has_needed(y, n, scope, head);
	return head;
}

const struct yml_entry *yml_get(const struct yml_entry *all, const char *name)
{
	for (; all; all = all->next)
		if (strcmp(all->key->name, name) == 0)
			return all;
	return NULL;
}

const struct yml_node *yml_part(const struct yml_entry *e, const char *name)
{
	const struct yml_entry *p = yml_get(e->all, name);

	return p ? p->value : NULL;
}

bool yml_is_second(struct yml *y, struct map *seen, const struct yml_node *key)
{
	const struct yml_node *first = map_get(seen, key->text);
	struct diag *d;

	if (!first) {
		map_put(seen, key->text, (void *)key);
		return false;
	}
	d = diag_add(y->sink, DIAG_YAML_DUPLICATE_KEY, key->at,
		     "the key '%.*s' stands twice", STR_ARG(key->text));
	diag_note(y->sink, d, first->at, "the first one is here");
	return true;
}

/* NAME: VALUE, each as an entry of its own; a name may stand only once. */
static void read_named(struct yml *y, const struct yml_entry *e)
{
	struct map seen;

	if (e->value->kind != YML_MAP) {
		yml_wrong_shape(y, e->value, "a mapping of names");
		return;
	}
	map_init(&seen, y->a);
	for (const struct yml_item *i = e->value->items; i && !yml_stop(y);
	     i = i->next) {
		struct yml_entry one = *e;

		if (yml_is_second(y, &seen, i->key))
			continue;
		one.name = i->key;
		one.value = i->value;
		one.at = yml_join(i->key, i->value);
		y->readers[e->key->read](y, &one);
	}
}

void yml_read(struct yml *y, const struct yml_entry *e)
{
	if (e->key->type == YML_T_NAMED)
		read_named(y, e);
	else if (y->readers[e->key->read])
		y->readers[e->key->read](y, e);
}

void yml_read_map(struct yml *y, const struct yml_node *n, enum yml_scope scope)
{
	bool ok;
	const struct yml_entry *e = yml_entries(y, n, scope, &ok);

	for (; e && !yml_stop(y); e = e->next) {
		if (!e->key->classes)
			yml_read(y, e);
		else
			diag_add(y->sink, DIAG_YAML_PLACE, e->name->at,
				 "'%.*s' belongs to a statement that does not stand "
				 "here",
				 STR_ARG(e->name->text));
	}
}

void yml_read_maps(struct yml *y, const struct yml_node *n, enum yml_scope scope)
{
	struct yml_item one;

	for (const struct yml_item *i = yml_list(n, &one); i && !yml_stop(y); i = i->next)
		yml_read_map(y, i->value, scope);
}

/* --- items ----------------------------------------------------------- */

/* The heads of a scope, for messages: "allow, ask, deny, otherwise". */
static const char *heads_of(struct yml *y, enum yml_scope scope)
{
	const char *all = "";

	for (size_t i = 0; i < yml_nkeys; i++)
		if (yml_keys[i].scope == scope && (yml_keys[i].flags & YML_HEAD))
			all = arena_printf(y->a, "%s%s%s", all, *all ? ", " : "",
					   yml_keys[i].name);
	return all;
}

static const struct yml_entry *find_head(struct yml *y, const struct yml_node *n,
					 enum yml_scope scope,
					 const struct yml_entry *all)
{
	const struct yml_entry *head = NULL;
	struct diag *d;

	for (const struct yml_entry *e = all; e; e = e->next) {
		if (!(e->key->flags & YML_HEAD))
			continue;
		if (head) {
			d = diag_add(y->sink, DIAG_YAML_PLACE, e->name->at,
				     "'%.*s' begins a second statement in one item",
				     STR_ARG(e->name->text));
			diag_note(y->sink, d, head->name->at, "the first one is here");
			return NULL;
		}
		head = e;
	}
	if (!head) {
		struct span at = all ? all->name->at : n->at;

		d = diag_add(y->sink, DIAG_YAML_MISSING, at,
			     "no key says which statement this is");
		diag_help(y->sink, d, "%s begins with one of %s", yml_scope_doc(scope),
			  heads_of(y, scope));
	}
	return head;
}

/* Do all other keys belong to the head's statement, and is none missing? */
static bool fits(struct yml *y, enum yml_scope scope, const struct yml_entry *head)
{
	unsigned classes = head->key->classes;
	bool ok = true;

	for (const struct yml_entry *e = head->all; e; e = e->next) {
		if (e == head || (e->key->classes & classes))
			continue;
		diag_add(y->sink, DIAG_YAML_PLACE, e->name->at,
			 "'%.*s' does not belong to '%s'", STR_ARG(e->name->text),
			 head->key->name);
		ok = false;
	}
	for (size_t i = 0; i < yml_nkeys; i++) {
		const struct yml_key *k = &yml_keys[i];

		if (k->scope != scope || !(k->must & classes) ||
		    yml_get(head->all, k->name))
			continue;
		diag_add(y->sink, DIAG_YAML_MISSING, head->name->at,
			 "'%s' needs the key '%s'", head->key->name, k->name);
		ok = false;
	}
	return ok;
}

static void read_item(struct yml *y, const struct yml_node *n, enum yml_scope scope)
{
	const struct yml_entry *head;
	bool ok;
	const struct yml_entry *all = yml_entries(y, n, scope, &ok);

	if (!ok)
		return;
	head = find_head(y, n, scope, all);
	if (head && fits(y, scope, head))
		yml_read(y, head);
}

void yml_read_items(struct yml *y, const struct yml_node *n, enum yml_scope scope)
{
	struct yml_item one;

	if (n->kind == YML_SCALAR) {
		yml_wrong_shape(y, n, "a list of statements");
		return;
	}
	for (const struct yml_item *i = yml_list(n, &one); i && !yml_stop(y); i = i->next)
		read_item(y, i->value, scope);
}

/* --- statements ------------------------------------------------------ */

void yml_add(struct yml *y, struct ast_stmt *s)
{
	y->out = ast_stmts_add(y->out, s);
}

void yml_add_all(struct yml *y, struct ast_stmt *s)
{
	for (struct ast_stmt *next; s; s = next) {
		next = s->next;
		s->next = NULL;
		yml_add(y, s);
	}
}

/* Adds `s` to the section before, if that accepts it: a list becomes one section. */
static bool add_to_last(struct yml *y, enum ast_section_kind kind, bool locked,
			struct ast_stmt *s)
{
	struct ast_stmt *last = y->out.tail;

	if (!last || last->kind != AST_SECTION || last->section != kind ||
	    last->locked != locked || (last->body && last != y->joined))
		return false;
	if (!last->body)
		last->body = s;
	else
		y->joined_tail->next = s;
	y->joined = last;
	y->joined_tail = s;
	return true;
}

void yml_add_in(struct yml *y, enum ast_section_kind kind, struct ast_stmt *s)
{
	bool locked = kind == AST_SEC_RUNNER && y->locks;

	if (add_to_last(y, kind, locked, s))
		return;
	yml_add(y, AST_STMT(B, AST_SECTION, s->at, .name_at = s->name_at,
			    .section = kind, .locked = locked, .body = s));
	y->joined = y->out.tail;
	y->joined_tail = s;
}

struct ast_stmts yml_begin(struct yml *y)
{
	struct ast_stmts outer = y->out;

	y->out = (struct ast_stmts){ 0 };
	return outer;
}

struct ast_stmt *yml_end(struct yml *y, struct ast_stmts outer)
{
	struct ast_stmt *body = y->out.head;

	y->out = outer;
	return body;
}
