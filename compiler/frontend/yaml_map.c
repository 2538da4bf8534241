/*
 * Mappings as statements of a file: which keys one has, each once, and the
 * statements that stand at the top.  Sections' own are in yaml_items.c.
 */
#include <assert.h>

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
			 "%s has no key '%.*s'", yml_scope_doc(scope), STR_ARG(name));

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
static void check_needed(struct yml *y, const struct yml_node *n, enum yml_scope scope,
			 const struct yml_entry *all)
{
	for (size_t i = 0; i < yml_nkeys; i++) {
		const struct yml_key *k = &yml_keys[i];

		if (k->scope != scope || !(k->flags & YML_NEEDED) || k->classes)
			continue;
		if (!yml_get(all, k->name)) {
			struct span at = n->at;

			at.len = at.len ? 1 : 0;
			diag_add(y->sink, DIAG_YAML_MISSING, at,
				 "%s needs the key '%s'", yml_scope_doc(scope),
				 k->name);
		}
	}
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
	for (const struct yml_item *i = n->items; i; i = i->next) {
		struct yml_entry *e = ARENA_NEW(y->a, struct yml_entry);

		*e = (struct yml_entry){.name = i->key,
					.value = i->value,
					.node = n,
					.at = yml_join(i->key, i->value)};
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
		check_needed(y, n, scope, head);
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
	for (; e && !B->full; e = e->next) {
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
	for (const struct yml_item *i = n->items; i && !B->full; i = i->next)
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

/* --- names ----------------------------------------------------------- */

/* Calls `each` for every NAME: VALUE; a name stands once. */
static void read_named(struct yml *y, const struct yml_entry *e,
		       void (*each)(struct yml *, const struct yml_entry *))
{
	struct map seen;

	if (e->value->kind != YML_MAP) {
		yml_wrong_shape(y, e->value, "a mapping of names");
		return;
	}
	map_init(&seen, y->a);
	for (const struct yml_item *i = e->value->items; i && !B->full; i = i->next) {
		struct yml_entry one = *e;

		if (yml_is_second(y, &seen, i->key))
			continue;
		one.name = i->key;
		one.value = i->value;
		one.at = yml_join(i->key, i->value);
		each(y, &one);
	}
}

/* The statements that `read` adds, apart from those that are there. */
static struct ast_stmts apart(struct yml *y,
			      void (*read)(struct yml *, const struct yml_entry *),
			      const struct yml_entry *e)
{
	struct ast_stmts outer = y->out, inner;

	y->out = (struct ast_stmts){0};
	read(y, e);
	inner = y->out;
	y->out = outer;
	return inner;
}

/* --- statements of a file -------------------------------------------- */

static void policy_body(struct yml *y, const struct yml_entry *e)
{
	bool ok;
	const struct yml_entry *k = yml_entries(y, e->value, YML_S_POLICY, &ok);

	for (; k; k = k->next)
		if (strcmp(k->key->name, "name"))
			k->key->read(y, k);
}

void yml_do_policy(struct yml *y, const struct yml_entry *e)
{
	size_t errors = y->sink->errors;
	struct ast_stmts body = apart(y, policy_body, e);
	struct str name;

	if (y->sink->errors > errors)
		return;
	for (const struct yml_item *i = e->value->items; i; i = i->next)
		if (str_eqz(i->key->text, "name") && yml_word(y, i->value, &name))
			yml_add(y,
				AST_STMT(B, AST_POLICY, e->at, .name = name,
					 .name_at = i->value->at, .body = body.head));
}

void yml_do_use(struct yml *y, const struct yml_entry *e)
{
	struct ast_value *v = yml_values(y, YML_T_IMPORTS, e->value);

	if (v)
		yml_add(y, AST_STMT(B, AST_USE, e->at, .values = v));
}

static void one_let(struct yml *y, const struct yml_entry *e)
{
	struct ast_value *v = yml_values(y, YML_T_ANY, e->value);

	if (v && !yml_is_free_name(e->name->text)) {
		struct diag *d = diag_add(y->sink, DIAG_YAML_VALUE, e->name->at,
					  "'%.*s' cannot be the name of a value",
					  STR_ARG(e->name->text));

		diag_help(y->sink, d,
			  "it has letters, digits, '_', '-' and '.', does not begin "
			  "with a digit, and is no word of the language");
	} else if (v) {
		yml_add(y, AST_STMT(B, AST_LET, e->at, .name = e->name->text,
				    .name_at = e->name->at, .values = v));
	}
}

void yml_do_let(struct yml *y, const struct yml_entry *e)
{
	read_named(y, e, one_let);
}

static void one_group(struct yml *y, const struct yml_entry *e)
{
	struct ast_value *v = yml_values(y, YML_T_ELEMENTS, e->value);

	if (v && !ast_is_word(e->name->text))
		diag_add(y->sink, DIAG_YAML_VALUE, e->name->at,
			 "'%.*s' is no name of a group; it is written without '@'",
			 STR_ARG(e->name->text));
	else if (v)
		yml_add(y, AST_STMT(B, AST_GROUP, e->at, .name = e->name->text,
				    .name_at = e->name->at, .values = v));
}

void yml_do_group(struct yml *y, const struct yml_entry *e)
{
	read_named(y, e, one_group);
}

static void role_body(struct yml *y, const struct yml_entry *e)
{
	yml_read_file(y, e->value);
}

static void one_role(struct yml *y, const struct yml_entry *e)
{
	struct ast_stmts body = apart(y, role_body, e);
	struct str name;

	if (yml_word(y, e->name, &name))
		yml_add(y, AST_STMT(B, AST_ROLE, e->at, .name = name,
				    .name_at = e->name->at, .body = body.head));
}

void yml_do_role(struct yml *y, const struct yml_entry *e)
{
	read_named(y, e, one_role);
}

static void tool_body(struct yml *y, const struct yml_entry *e)
{
	yml_read_maps(y, e->value, YML_S_TOOL);
}

static void one_tool(struct yml *y, const struct yml_entry *e)
{
	struct ast_stmts body = apart(y, tool_body, e);

	yml_add(y, AST_STMT(B, AST_TOOL, e->at, .name = e->name->text,
			    .name_at = e->name->at, .body = body.head));
}

void yml_do_tool(struct yml *y, const struct yml_entry *e)
{
	read_named(y, e, one_tool);
}

void yml_do_tool_effect(struct yml *y, const struct yml_entry *e)
{
	enum ast_effect effect;

	if (yml_effect(y, e->value, &effect))
		yml_add(y, AST_STMT(B, AST_TOOL_EFFECT, e->at, .name_at = e->value->at,
				    .effect = effect));
}

static void one_alert(struct yml *y, const struct yml_entry *e)
{
	bool ok;
	const struct yml_entry *k = yml_entries(y, e->value, YML_S_ALERT, &ok);
	const struct yml_entry *when = yml_get(k, "when"), *per = yml_get(k, "per");
	const struct yml_entry *act = yml_get(k, "do");
	struct dsl_result cond = {0};
	struct ast_value *time = NULL, *values;
	struct str name;

	if (!ok || !when || !act || !yml_word(y, e->name, &name) ||
	    !yml_dsl(y, DSL_EXPR, when->value, &cond))
		return;
	values = yml_values(y, YML_T_WORD, act->value);
	if (per && !(time = yml_values(y, YML_T_NUMBER, per->value)))
		return;
	if (values && cond.expr)
		yml_add(y, AST_STMT(B, AST_ALERT, e->at, .name = name,
				    .name_at = e->name->at, .expr = cond.expr,
				    .per = time, .values = values));
}

void yml_do_alert(struct yml *y, const struct yml_entry *e)
{
	read_named(y, e, one_alert);
}

static void one_setting(struct yml *y, const struct yml_entry *e)
{
	struct ast_value *v = yml_values(y, YML_T_ANY, e->value);

	if (v)
		yml_add(y, AST_STMT(B, AST_SETTING, e->at, .name = e->name->text,
				    .name_at = e->name->at, .values = v,
				    .locked = e->locked, .append = e->append));
}

void yml_do_setting(struct yml *y, const struct yml_entry *e)
{
	read_named(y, e, one_setting);
}

/* One text, or a list of them, each for itself. */
static bool read_dsl(struct yml *y, enum dsl_start start, const struct yml_node *n,
		     void (*each)(struct yml *, const struct dsl_result *, void *),
		     void *arg)
{
	bool ok = true;

	if (n->kind != YML_LIST) {
		struct dsl_result r = {0};

		if (!yml_dsl(y, start, n, &r))
			return false;
		each(y, &r, arg);
		return true;
	}
	for (const struct yml_item *i = n->items; i && !B->full; i = i->next) {
		struct dsl_result r = {0};

		if (!yml_dsl(y, start, i->value, &r))
			ok = false;
		else
			each(y, &r, arg);
	}
	return ok;
}

static void add_stmts(struct yml *y, const struct dsl_result *r, void *arg)
{
	struct ast_stmt *s = r->stmts, *next;

	(void)arg;
	for (; s; s = next) {
		next = s->next;
		s->next = NULL;
		yml_add(y, s);
	}
}

void yml_do_dsl(struct yml *y, const struct yml_entry *e)
{
	read_dsl(y, (enum dsl_start)e->key->arg, e->value, add_stmts, NULL);
}

static void add_cases(struct yml *y, const struct dsl_result *r, void *arg)
{
	struct ast_test_cases *to = arg;
	struct ast_test_case *c = r->cases, *next;

	(void)y;
	for (; c; c = next) {
		next = c->next;
		c->next = NULL;
		*to = ast_test_cases_add(*to, c);
	}
}

static void one_test(struct yml *y, const struct yml_entry *e)
{
	const struct yml_node *cases = e->value;
	struct dsl_result cond = {0};
	struct ast_test_cases all = {0};

	if (e->value->kind == YML_MAP) {
		bool ok;
		const struct yml_entry *k = yml_entries(y, e->value, YML_S_TEST, &ok);
		const struct yml_entry *when = yml_get(k, "when");
		const struct yml_entry *list = yml_get(k, "cases");

		if (!ok || !list || (when && !yml_dsl(y, DSL_EXPR, when->value, &cond)))
			return;
		cases = list->value;
	}
	if (read_dsl(y, DSL_CASES, cases, add_cases, &all))
		yml_add(y, AST_STMT(B, AST_TEST, e->at, .name = e->name->text,
				    .name_at = e->name->at, .cases = all.head,
				    .expr = cond.expr));
}

void yml_do_test(struct yml *y, const struct yml_entry *e)
{
	read_named(y, e, one_test);
}

void yml_do_pair(struct yml *y, const struct yml_entry *e)
{
	struct ast_value *v;

	if (e->value->kind == YML_MAP) /* {pol: VALUE} of whatever kind */
		v = yml_values(y, YML_T_ANY, e->value);
	else
		v = yml_values(y, e->key->type, e->value);
	if (v && (v->next || e->value->kind == YML_LIST))
		v = AST_VALUE(B, AST_V_LIST, e->value->at, .items = v);
	if (v)
		yml_add(y, AST_STMT(B, AST_PAIR, e->at, .name = str_from(e->key->name),
				    .name_at = e->name->at, .values = v,
				    .locked = e->locked, .append = e->append));
}

/* --- sections -------------------------------------------------------- */

static void section_body(struct yml *y, const struct yml_entry *e)
{
	switch ((int)e->key->type) {
	case YML_T_PAIRS:
		yml_read_maps(y, e->value, e->key->sub);
		break;
	case YML_T_SESSION:
	case YML_T_RUNNER:
	case YML_T_ENV:
	case YML_T_TOOLS:
		yml_read_mixed(y, e);
		break;
	default:
		yml_read_items(y, e->value, e->key->sub);
	}
}

void yml_do_section(struct yml *y, const struct yml_entry *e)
{
	struct ast_stmts body = apart(y, section_body, e);

	yml_add(y, AST_STMT(B, AST_SECTION, e->at, .name_at = e->name->at,
			    .section = (enum ast_section_kind)e->key->arg,
			    .locked = e->locked, .body = body.head));
}

static void network_rules(struct yml *y, const struct yml_entry *e)
{
	yml_read_items(y, e->value, YML_S_NET);
}

void yml_do_network(struct yml *y, const struct yml_entry *e)
{
	const struct yml_entry *mode = NULL, *rules = NULL, *all;
	struct span name_at = e->name->at;
	const struct yml_node *word = e->value;
	struct ast_stmts body = {0};
	struct str name = STR_NULL;
	bool ok = true;

	if (e->value->kind == YML_LIST) {
		body = apart(y, network_rules, e);
		word = NULL;
	} else if (e->value->kind == YML_MAP) {
		all = yml_entries(y, e->value, YML_S_NETMODE, &ok);
		mode = yml_get(all, "mode");
		rules = yml_get(all, "rules");
		if (!ok || !mode)
			return;
		word = mode->value;
		if (rules)
			body = apart(y, network_rules, rules);
	}
	if (word) {
		if (!yml_word(y, word, &name))
			return;
		name_at = word->at;
	}
	yml_add(y, AST_STMT(B, AST_SECTION, e->at, .section = AST_SEC_NETWORK,
			    .name = name, .name_at = name_at, .locked = e->locked,
			    .body = body.head));
}
