/*
 * What configuration files of agents say about runners and roles: modes and blocks of
 * `runner`, and settings under their own dotted keys.
 */
#include "compiler/base/num.h"
#include "compiler/frontend/yaml_scan.h"
#include "compiler/frontend/yaml_value.h"

#define B (y->b)

void yml_do_map(struct yml *y, const struct yml_entry *e)
{
	yml_read_map(y, e->value, e->key->sub);
}

/* --- runners ---------------------------------------------------------- */

void yml_do_runner_mode(struct yml *y, const struct yml_entry *e)
{
	const char *mode = yml_choice(y, e->value, (enum yml_word_set)e->key->arg);

	if (mode)
		yml_add_in(y, AST_SEC_RUNNER,
			   AST_STMT(B, AST_MODE, e->at, .name = str_from(mode),
				    .name_at = e->value->at));
}

static const struct {
	const char *key, *pair;
} block_pairs[] = {
	{"baseImage", "image"},        {"allowedBaseImages", "images"},
	{"composeFile", "compose"},    {"autoCleanup", "auto-cleanup"},
	{"autoDetect", "auto-detect"}, {"configPath", "config"},
	{"vmSize", "vm-size"},         {"sessionTimeout", "session-timeout"},
};

/* A duration; a number without a unit means seconds. */
static struct ast_value *timeout(struct yml *y, const struct yml_node *n)
{
	struct str text;
	uint64_t ms;

	if (!yml_text(y, n, "a time", &text))
		return NULL;
	if (num_u64(text, &ms))
		text = str_cat(y->a, text, STR("s"));
	if (num_duration(text, &ms))
		return AST_VALUE(B, AST_V_NUMBER, n->at, .text = text);
	diag_add(y->sink, DIAG_YAML_VALUE, n->at,
		 "'%.*s' is neither a number of seconds nor a time like 1h",
		 STR_ARG(n->text));
	return NULL;
}

void yml_do_block_pair(struct yml *y, const struct yml_entry *e)
{
	const char *name = e->key->name;
	struct ast_value *v;

	for (size_t i = 0; i < POL_LEN(block_pairs); i++)
		if (strcmp(name, block_pairs[i].key) == 0)
			name = block_pairs[i].pair;
	if (strcmp(name, "session-timeout") == 0)
		v = timeout(y, e->value);
	else if (e->key->type == YML_T_TEXTS && e->value->kind == YML_LIST &&
		 !e->value->items)
		v = AST_VALUE(B, AST_V_LIST, e->value->at, .items = NULL);
	else
		v = yml_value_of(y, e);
	if (v && e->value->kind == YML_LIST && v->kind != AST_V_LIST)
		v = AST_VALUE(B, AST_V_LIST, e->value->at, .items = v);
	if (v)
		yml_add(y, AST_STMT(B, AST_PAIR, e->at, .name = str_from(name),
				    .name_at = e->name->at, .values = v));
}

static void add_runner(struct yml *y, const struct yml_entry *e, const char *name,
		       struct ast_stmt *body)
{
	yml_add_in(y, AST_SEC_RUNNER,
		   AST_STMT(B, AST_RUNNER, e->at, .name = str_from(name),
			    .name_at = e->name->at, .body = body));
}

void yml_do_sandbox_image(struct yml *y, const struct yml_entry *e)
{
	struct ast_stmts outer = yml_begin(y);
	struct ast_stmt *body;

	yml_do_block_pair(y, e);
	body = yml_end(y, outer);
	if (body)
		add_runner(y, e, "container", body);
}

/* Reads the pairs and sections of a runner's block.  If the file's mode uses this
 * runner, they also count for the policy itself. */
void yml_do_runner_block(struct yml *y, const struct yml_entry *e)
{
	const char *name = strcmp(e->key->name, "docker") ? e->key->name : "container";
	struct ast_stmts outer = yml_begin(y), around = y->outer;
	struct ast_stmt *body;
	bool ok;
	const struct yml_entry *all = yml_entries(y, e->value, e->key->sub, &ok);

	y->outer = (struct ast_stmts){0};
	y->in_block = true;
	for (const struct yml_entry *k = all; k && !yml_stop(y); k = k->next)
		yml_read(y, k);
	y->in_block = false;
	body = yml_end(y, outer);
	yml_add_all(y, y->outer.head);
	y->outer = around;
	add_runner(y, e, name, body);
	for (const struct yml_entry *k = yml_is_own(y, name) ? all : NULL;
	     k && !yml_stop(y); k = k->next)
		if (k->key->flags & YML_OWN)
			yml_read(y, k);
}

/* --- settings -------------------------------------------------------- */

/* Adds a setting under the dotted key of its mapping.  Settings in the block of a
 * runner belong to the file. */
static void add_setting(struct yml *y, struct span at, struct span name_at,
			struct str key, struct ast_value *v)
{
	struct ast_stmt *s;

	if (!v)
		return;
	s = AST_STMT(B, AST_SETTING, at, .name = key, .name_at = name_at, .values = v,
		     .locked = y->locks);
	if (y->in_block)
		y->outer = ast_stmts_add(y->outer, s);
	else
		yml_add(y, s);
}

static struct ast_value *list_of(struct yml *y, const struct yml_node *n,
				 struct ast_value *items)
{
	return AST_VALUE(B, AST_V_LIST, n->at, .items = items);
}

/* A mapping of known keys as a map: each key's type gives a text, boolean or number. */
static struct ast_value *map_of(struct yml *y, const struct yml_node *n,
				enum yml_scope scope)
{
	struct ast_values items = {0};
	bool ok;
	const struct yml_entry *e = yml_entries(y, n, scope, &ok);

	if (!ok)
		return NULL;
	for (; e; e = e->next) {
		struct ast_value *v = yml_value_of(y, e);

		if (!v)
			return NULL;
		items = ast_values_add(items, ast_keyed(v, str_from(e->key->name)));
	}
	return AST_VALUE(B, AST_V_MAP, n->at, .items = items.head);
}

static struct ast_value *maps_of(struct yml *y, const struct yml_node *n,
				 enum yml_scope scope)
{
	struct ast_values all = {0};
	struct yml_item one;

	for (const struct yml_item *i = yml_list(n, &one); i && !yml_stop(y); i = i->next)
		all = ast_values_add(all, map_of(y, i->value, scope));
	return list_of(y, n, all.head);
}

static struct ast_value *setting_value(struct yml *y, const struct yml_entry *e)
{
	struct ast_value *v;

	switch ((int)e->key->type) {
	case YML_T_MAP:
		return map_of(y, e->value, e->key->sub);
	case YML_T_MAPS:
		return maps_of(y, e->value, e->key->sub);
	case YML_T_TEXTS: /* an empty list means that nothing is allowed */
		if (e->value->kind == YML_LIST && !e->value->items)
			return list_of(y, e->value, NULL);
		v = yml_values(y, e->key->type, e->value);
		return v ? list_of(y, e->value, v) : NULL;
	default:
		return yml_value_of(y, e);
	}
}

static const struct {
	enum yml_scope scope;
	const char *prefix;
} prefixes[] = {
	{YML_S_SANDBOX, "sandbox"},         {YML_S_DOCKER, "docker"},
	{YML_S_AGENTS, "agents"},           {YML_S_CONTEXT, "context"},
	{YML_S_PERMISSIONS, "permissions"},
};

void yml_do_setting_of(struct yml *y, const struct yml_entry *e)
{
	size_t i = 0;

	while (prefixes[i].scope != e->key->scope)
		i++;
	add_setting(y, e->at, e->name->at,
		    str_printf(y->a, "%s.%s", prefixes[i].prefix, e->key->name),
		    setting_value(y, e));
}

/* A mapping with any keys: adds one setting for each leaf. */
static void flatten(struct yml *y, struct str key, const struct yml_node *n)
{
	struct map seen;

	map_init(&seen, y->a);
	for (const struct yml_item *i = n->items; i && !yml_stop(y); i = i->next) {
		struct str name = str_printf(y->a, "%.*s.%.*s", STR_ARG(key),
					     STR_ARG(i->key->text));

		if (yml_is_second(y, &seen, i->key))
			continue;
		if (!ast_is_word(i->key->text))
			diag_add(y->sink, DIAG_YAML_VALUE, i->key->at,
				 "'%.*s' cannot be a part of a setting's name",
				 STR_ARG(i->key->text));
		else if (i->value->kind == YML_MAP && i->value->items)
			flatten(y, name, i->value);
		else
			add_setting(y, yml_join(i->key, i->value), i->key->at, name,
				    yml_values(y, YML_T_ANY, i->value));
	}
}

void yml_do_settings(struct yml *y, const struct yml_entry *e)
{
	if (e->value->kind != YML_MAP)
		yml_wrong_shape(y, e->value, "a mapping");
	else
		flatten(y, str_from(e->key->name), e->value);
}
