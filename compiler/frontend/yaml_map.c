/* Mappings: which keys one has, each once, and who reads them. */
#include "compiler/base/map.h"
#include "compiler/frontend/yaml_internal.h"

#define B (y->b)

void yml_add(struct yml *y, struct ast_stmt *s)
{
	y->out = ast_stmts_add(y->out, s);
}

struct span yml_join(const struct yml_node *key, const struct yml_node *value)
{
	if (value->at.off < key->at.off) /* an alias' contents stand elsewhere */
		return key->at;
	return span_join(key->at, value->at);
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

/* "locked NAME", "NAME +=": false where the key takes no such mark. */
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

/* Options are needed where their statement is, the rest everywhere. */
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

static void read_entries(struct yml *y, const struct yml_entry *e)
{
	for (; e && !yml_stop(y); e = e->next) {
		if (!e->key->classes)
			e->key->read(y, e);
		else
			diag_add(y->sink, DIAG_YAML_PLACE, e->name->at,
				 "'%.*s' belongs to a statement that does not stand "
				 "here",
				 STR_ARG(e->name->text));
	}
}

void yml_read_map(struct yml *y, const struct yml_node *n, enum yml_scope scope)
{
	bool ok;

	read_entries(y, yml_entries(y, n, scope, &ok));
}

void yml_read_maps(struct yml *y, const struct yml_node *n, enum yml_scope scope)
{
	if (n->kind != YML_LIST) {
		yml_read_map(y, n, scope);
		return;
	}
	for (const struct yml_item *i = n->items; i && !yml_stop(y); i = i->next)
		yml_read_map(y, i->value, scope);
}

void yml_read_file(struct yml *y, const struct yml_node *n)
{
	yml_read_maps(y, n, YML_S_FILE);
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
