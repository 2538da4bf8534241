/*
 * What configuration files say about runners and roles: modes and blocks of
 * `runner`, and settings under their own dotted keys.
 */
#include "compiler/frontend/yaml_internal.h"

#include "compiler/base/num.h"

#define B (y->b)

/* --- what a file says as a whole ------------------------------------- */

static const struct yml_node *look(const struct yml *y, const struct yml_node *n,
				   enum yml_scope scope, const char *name)
{
	for (const struct yml_item *i = n && n->kind == YML_MAP ? n->items : NULL; i;
	     i = i->next) {
		const struct yml_key *k = yml_find(&y->keys, scope, i->key->text);

		if (k && strcmp(k->name, name) == 0)
			return i->value;
	}
	return NULL;
}

const char *yml_meaning(struct yml *y, const struct yml_node *n, enum yml_word_set set)
{
	for (size_t i = 0; n && n->kind == YML_SCALAR && i < yml_nwords; i++)
		if (yml_words[i].set == set &&
		    (str_eqz(n->text, yml_words[i].word) ||
		     str_eqz(n->text, yml_camel(y->a, yml_words[i].word)) ||
		     str_eqz(n->text, yml_snake(y->a, yml_words[i].word))))
			return yml_words[i].meaning;
	return NULL;
}

static void scan_mode(struct yml *y, const struct yml_node *n)
{
	const struct yml_node *sandbox = look(y, n, YML_S_FILE, "sandbox");
	const struct yml_node *execution = look(y, n, YML_S_FILE, "execution");
	const char *modes[] = {
		yml_meaning(y, look(y, sandbox, YML_S_SANDBOX, "mode"), YML_W_MODE),
		yml_meaning(y, look(y, sandbox, YML_S_SANDBOX, "type"),
			    YML_W_SANDBOX_TYPE),
		yml_meaning(y, look(y, sandbox, YML_S_SANDBOX, "executionMode"),
			    YML_W_EXECUTION_MODE),
		yml_meaning(y, look(y, execution, YML_S_EXECUTION, "mode"), YML_W_MODE),
		yml_meaning(y, look(y, n, YML_S_FILE, "executionMode"),
			    YML_W_EXECUTION_MODE),
	};

	for (size_t i = 0; i < POL_LEN(modes); i++)
		if (modes[i])
			y->mode = modes[i];
}

/* Does the file's mode run commands in this runner, first or only? */
static bool is_own(const struct yml *y, const char *runner)
{
	return y->mode && (strcmp(y->mode, runner) == 0 ||
			   (strcmp(y->mode, "prefer-container") == 0 &&
			    strcmp(runner, "container") == 0));
}

static void scan_mounts(struct yml *y, const struct yml_node *n)
{
	const struct yml_node *sandbox = look(y, n, YML_S_FILE, "sandbox");
	const struct yml_node *outer[] = {look(y, n, YML_S_FILE, "docker"),
					  look(y, sandbox, YML_S_SANDBOX, "docker")};
	const struct yml_node *dev[] = {
		look(y, n, YML_S_FILE, "devcontainer"),
		look(y, sandbox, YML_S_SANDBOX, "devcontainer")};

	y->mounted |= look(y, n, YML_S_FILE, "workspaceMount") ||
		      look(y, sandbox, YML_S_SANDBOX, "workspaceMount");
	for (size_t i = 0; i < POL_LEN(outer); i++) {
		const struct yml_node *over =
			look(y, dev[i], YML_S_DEVCONTAINER, "overrides");

		y->mounted |= is_own(y, "container") &&
			      look(y, outer[i], YML_S_DOCKER, "workspaceMount");
		y->mounted |= is_own(y, "devcontainer") &&
			      look(y, over, YML_S_OVERRIDES, "workspaceMount");
	}
}

static bool names_hosts(const struct yml *y, const struct yml_node *n,
			enum yml_scope scope)
{
	return look(y, n, scope, "allowedDomains") || look(y, n, scope, "allowedHosts");
}

/* Wherever the policy's own network section takes them from, also an empty list. */
static void scan_hosts(struct yml *y, const struct yml_node *n)
{
	const struct yml_node *sandbox = look(y, n, YML_S_FILE, "sandbox");
	const struct {
		const struct yml_node *n;
		enum yml_scope scope;
	} at[] = {{n, YML_S_FILE}, {sandbox, YML_S_SANDBOX}};

	for (size_t i = 0; i < POL_LEN(at); i++) {
		const struct yml_node *docker = look(y, at[i].n, at[i].scope, "docker");
		const struct yml_node *cloud = look(y, at[i].n, at[i].scope, "cloud");
		const struct yml_node *over =
			look(y, look(y, at[i].n, at[i].scope, "devcontainer"),
			     YML_S_DEVCONTAINER, "overrides");

		y->hosts |=
			names_hosts(y, at[i].n, at[i].scope) ||
			(is_own(y, "container") &&
			 names_hosts(y, docker, YML_S_DOCKER)) ||
			(is_own(y, "cloud") && names_hosts(y, cloud, YML_S_CLOUD)) ||
			(is_own(y, "devcontainer") &&
			 names_hosts(y, over, YML_S_OVERRIDES));
	}
}

static void scan_level(struct yml *y, const struct yml_node *n)
{
	const struct yml_node *policy = look(y, n, YML_S_FILE, "policy");
	const struct yml_node *level = look(y, policy, YML_S_POLICY, "level");

	if (level && level->kind == YML_SCALAR)
		y->locks |= str_eqz(level->text, "managed") ||
			    str_eqz(level->text, "managed-file");
}

static void scan_part(struct yml *y, const struct yml_node *n,
		      void (*scan)(struct yml *, const struct yml_node *))
{
	if (n->kind != YML_LIST) {
		scan(y, n);
		return;
	}
	for (const struct yml_item *i = n->items; i; i = i->next)
		scan(y, i->value);
}

void yml_scan(struct yml *y, const struct yml_node *root)
{
	scan_part(y, root, scan_level);
	scan_part(y, root, scan_mode);
	scan_part(y, root, scan_mounts);
	scan_part(y, root, scan_hosts);
}

/* --- runners --------------------------------------------------------- */

struct ast_value *yml_truth(struct yml *y, const struct yml_node *n)
{
	bool yes;

	if (!yml_bool(y, n, &yes))
		return NULL;
	return AST_VALUE(B, AST_V_NAME, n->at,
			 .text = yes ? STR("true") : STR("false"));
}

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

/* Seconds where no unit stands. */
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
	else if (e->key->type == YML_T_BOOL)
		v = yml_truth(y, e->value);
	else if (e->value->kind == YML_LIST && !e->value->items)
		v = AST_VALUE(B, AST_V_LIST, e->value->at, .items = NULL);
	else
		v = yml_values(y, e->key->type, e->value);
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
	struct ast_stmts outer = y->out, inner;

	y->out = (struct ast_stmts){0};
	yml_do_block_pair(y, e);
	inner = y->out;
	y->out = outer;
	if (inner.head)
		add_runner(y, e, "container", inner.head);
}

/* Its pairs and sections; these are the policy's own too where it runs there. */
void yml_do_runner_block(struct yml *y, const struct yml_entry *e)
{
	const char *name = strcmp(e->key->name, "docker") ? e->key->name : "container";
	struct ast_stmts outer = y->out, around = y->outer, body;
	bool ok;
	const struct yml_entry *all = yml_entries(y, e->value, e->key->sub, &ok);

	y->out = y->outer = (struct ast_stmts){0};
	y->in_block = true;
	for (const struct yml_entry *k = all; k && !yml_stop(y); k = k->next)
		k->key->read(y, k);
	y->in_block = false;
	body = y->out;
	y->out = outer;
	for (struct ast_stmt *s = y->outer.head, *next; s; s = next) {
		next = s->next;
		s->next = NULL;
		yml_add(y, s);
	}
	y->outer = around;
	add_runner(y, e, name, body.head);
	if (!is_own(y, name))
		return;
	for (const struct yml_entry *k = all; k && !yml_stop(y); k = k->next)
		if (k->key->flags & YML_OWN)
			k->key->read(y, k);
}

/* --- settings -------------------------------------------------------- */

/* Under the dotted key of its mapping; of a runner's block they are the file's. */
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

/* A mapping of known keys as a map: texts, truths, numbers by their types. */
static struct ast_value *map_of(struct yml *y, const struct yml_node *n,
				enum yml_scope scope)
{
	struct ast_values items = {0};
	bool ok;
	const struct yml_entry *e = yml_entries(y, n, scope, &ok);

	if (!ok)
		return NULL;
	for (; e; e = e->next) {
		struct ast_value *v = e->key->type == YML_T_BOOL
					      ? yml_truth(y, e->value)
					      : yml_values(y, e->key->type, e->value);

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

	if (n->kind != YML_LIST)
		return list_of(y, n, map_of(y, n, scope));
	for (const struct yml_item *i = n->items; i && !yml_stop(y); i = i->next)
		all = ast_values_add(all, map_of(y, i->value, scope));
	return list_of(y, n, all.head);
}

static struct ast_value *setting_value(struct yml *y, const struct yml_entry *e)
{
	struct ast_value *v;

	switch ((int)e->key->type) {
	case YML_T_BOOL:
		return yml_truth(y, e->value);
	case YML_T_MAP:
		return map_of(y, e->value, e->key->sub);
	case YML_T_MAPS:
		return maps_of(y, e->value, e->key->sub);
	case YML_T_TEXTS: /* an empty list is one that allows nothing */
		if (e->value->kind == YML_LIST && !e->value->items)
			return list_of(y, e->value, NULL);
		v = yml_values(y, e->key->type, e->value);
		return v ? list_of(y, e->value, v) : NULL;
	default:
		return yml_values(y, e->key->type, e->value);
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

/* A mapping of anything: one setting for each of its ends. */
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
