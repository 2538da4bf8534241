/* The statements of a file: those with names, and sections as a whole. */
#include "compiler/frontend/yaml_internal.h"

#define B (y->b)

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
	for (const struct yml_item *i = e->value->items; i && !yml_stop(y);
	     i = i->next) {
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
	bool outer = y->in_role;
	struct ast_stmts body;
	struct str name;

	y->in_role = true;
	body = apart(y, role_body, e);
	y->in_role = outer;
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
	for (const struct yml_item *i = n->items; i && !yml_stop(y); i = i->next) {
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
	struct ast_stmts body;

	if (e->key->type == YML_T_TOOLS && e->value->kind == YML_MAP) {
		yml_read_tools(y, e->value);
		return;
	}
	body = apart(y, section_body, e);

	yml_add(y, AST_STMT(B, AST_SECTION, e->at, .name_at = e->name->at,
			    .section = (enum ast_section_kind)e->key->arg,
			    .locked = e->locked, .body = body.head));
}

static void network_rules(struct yml *y, const struct yml_entry *e)
{
	yml_read_items(y, e->value, YML_S_NET);
}

/* `{enabled: true, allowedHosts: […]}`: the mode that this says. */
static bool read_enabled(struct yml *y, const struct yml_entry *all, struct str *ret)
{
	const struct yml_entry *e = yml_get(all, "enabled");
	bool hosts = yml_get(all, "allowedHosts") || yml_get(all, "allowedDomains");
	bool yes;

	if (!e || !yml_bool(y, e->value, &yes))
		return false;
	if (yes && !hosts && yml_get(all, "rules")) {
		struct diag *d = diag_add(y->sink, DIAG_YAML_PLACE, e->name->at,
					  "'enabled' does not say which mode the rules "
					  "are for");

		diag_help(y->sink, d, "write 'mode: limited' or 'mode: full' instead");
	}
	*ret = !yes ? STR("disabled") : hosts ? STR("limited") : STR("full");
	return true;
}

/* The statements in a section with its mode, in the order of their keys. */
static void network_body(struct yml *y, const struct yml_entry *all)
{
	for (; all; all = all->next) {
		const char *name = all->key->name;

		if (strcmp(name, "rules") == 0)
			yml_read_items(y, all->value, YML_S_NET);
		else if (all->key->type == YML_T_HOSTS || all->key->type == YML_T_PORTS)
			yml_read_network_list(y, all);
	}
}

void yml_do_network(struct yml *y, const struct yml_entry *e)
{
	const struct yml_node *word = e->value;
	struct span name_at = e->name->at;
	struct ast_stmts body = {0};
	struct str name = STR_NULL;
	bool ok = true;

	if (e->value->kind == YML_LIST) {
		body = apart(y, network_rules, e);
		word = NULL;
	} else if (e->value->kind == YML_MAP) {
		const struct yml_entry *all =
			yml_entries(y, e->value, YML_S_NETMODE, &ok);
		const struct yml_entry *mode = yml_get(all, "mode");

		if (!ok)
			return;
		word = mode ? mode->value : NULL;
		if (mode && yml_get(all, "enabled")) {
			diag_add(y->sink, DIAG_YAML_PLACE, mode->name->at,
				 "'mode' and 'enabled' say the same");
			return;
		}
		if (!mode && !read_enabled(y, all, &name)) {
			struct span at = e->value->at;

			at.len = 1;
			diag_add(y->sink, DIAG_YAML_MISSING, at,
				 "a network section as a mapping needs the key 'mode'");
			return;
		}
		body = apart(y, network_body, all);
	}
	if (word) {
		if (!yml_word(y, word, &name))
			return;
		name_at = word->at;
		if (word == e->value && str_eqz(name, "limited"))
			yml_default_domains(y, e);
	}
	yml_add(y, AST_STMT(B, AST_SECTION, e->at, .section = AST_SEC_NETWORK,
			    .name = name, .name_at = name_at, .locked = e->locked,
			    .body = body.head));
}
