/*
 * The statements of a file: those with names (each with its own reader), texts of the
 * language, and pairs.
 */
#include "compiler/frontend/yaml_scalar.h"
#include "compiler/frontend/yaml_value.h"

#define B (y->b)

void yml_do_policy(struct yml *y, const struct yml_entry *e)
{
	size_t errors = y->sink->errors;
	bool ok;
	const struct yml_entry *all = yml_entries(y, e->value, YML_S_POLICY, &ok);
	const struct yml_entry *is = yml_get(all, "name");
	struct ast_stmts outer = yml_begin(y);
	struct ast_stmt *body;
	struct str name;

	for (; all; all = all->next)
		yml_read(y, all);
	body = yml_end(y, outer);
	if (y->sink->errors == errors && is && yml_word(y, is->value, &name))
		yml_add(y, AST_STMT(B, AST_POLICY, e->at, .name = name,
				    .name_at = is->value->at, .body = body));
}

void yml_do_use(struct yml *y, const struct yml_entry *e)
{
	struct ast_value *v = yml_values(y, YML_T_IMPORTS, e->value);

	if (v)
		yml_add(y, AST_STMT(B, AST_USE, e->at, .values = v));
}

void yml_do_let(struct yml *y, const struct yml_entry *e)
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

void yml_do_group(struct yml *y, const struct yml_entry *e)
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

void yml_do_role(struct yml *y, const struct yml_entry *e)
{
	struct ast_stmts outer = yml_begin(y);
	bool inside = y->in_role;
	struct ast_stmt *body;
	struct str name;

	y->in_role = true;
	yml_read_maps(y, e->value, YML_S_FILE);
	y->in_role = inside;
	body = yml_end(y, outer);
	if (yml_word(y, e->name, &name))
		yml_add(y, AST_STMT(B, AST_ROLE, e->at, .name = name,
				    .name_at = e->name->at, .body = body));
}

void yml_do_tool(struct yml *y, const struct yml_entry *e)
{
	struct ast_stmts outer = yml_begin(y);

	yml_read_maps(y, e->value, YML_S_TOOL);
	yml_add(y, AST_STMT(B, AST_TOOL, e->at, .name = e->name->text,
			    .name_at = e->name->at, .body = yml_end(y, outer)));
}

void yml_do_tool_effect(struct yml *y, const struct yml_entry *e)
{
	enum ast_effect effect;

	if (yml_effect(y, e->value, &effect))
		yml_add(y, AST_STMT(B, AST_TOOL_EFFECT, e->at, .name_at = e->value->at,
				    .effect = effect));
}

void yml_do_alert(struct yml *y, const struct yml_entry *e)
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

void yml_do_setting(struct yml *y, const struct yml_entry *e)
{
	struct ast_value *v = yml_values(y, YML_T_ANY, e->value);

	if (v)
		yml_add(y, AST_STMT(B, AST_SETTING, e->at, .name = e->name->text,
				    .name_at = e->name->at, .values = v,
				    .locked = e->locked, .append = e->append));
}

void yml_do_dsl(struct yml *y, const struct yml_entry *e)
{
	struct yml_item one;

	for (const struct yml_item *i = yml_list(e->value, &one); i && !yml_stop(y);
	     i = i->next) {
		struct dsl_result r = {0};

		if (yml_dsl(y, (enum dsl_start)e->key->arg, i->value, &r))
			yml_add_all(y, r.stmts);
	}
}

/* Reads one text of cases, or a list of such texts. */
static bool read_cases(struct yml *y, const struct yml_node *n,
		       struct ast_test_cases *all)
{
	struct yml_item one;
	bool ok = true;

	for (const struct yml_item *i = yml_list(n, &one); i && !yml_stop(y); i = i->next) {
		struct dsl_result r = {0};

		ok &= yml_dsl(y, DSL_CASES, i->value, &r);
		for (struct ast_test_case *c = r.cases, *next; c; c = next) {
			next = c->next;
			c->next = NULL;
			*all = ast_test_cases_add(*all, c);
		}
	}
	return ok;
}

void yml_do_test(struct yml *y, const struct yml_entry *e)
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
	if (read_cases(y, cases, &all))
		yml_add(y, AST_STMT(B, AST_TEST, e->at, .name = e->name->text,
				    .name_at = e->name->at, .cases = all.head,
				    .expr = cond.expr));
}

void yml_do_pair(struct yml *y, const struct yml_entry *e)
{
	struct ast_value *v;

	if (e->value->kind == YML_MAP) /* {pol: VALUE} of any kind */
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
