/*
 * Reads the items of sections.  One item is one statement: its head says which one.
 * The other keys are its parts and options, which keep their order.
 */
#include "compiler/frontend/yaml_value.h"

#define B (y->b)

/* --- parts and options ----------------------------------------------- */

static struct ast_value *part_values(struct yml *y, const struct yml_entry *e,
				     const char *name)
{
	const struct yml_entry *p = yml_get(e->all, name);

	return p ? yml_value_of(y, p) : NULL;
}

/* The language has room for `most` values here; reports one more.  NULL after an error. */
static struct ast_value *at_most(struct yml *y, const struct yml_entry *e, size_t most,
				 const char *wanted, struct ast_value *v)
{
	size_t n = 0;

	for (const struct ast_value *i = v; i; i = i->next)
		n++;
	if (n <= most)
		return v;
	yml_wrong_shape(y, e->value, wanted);
	return NULL;
}

/* Reads one option; NULL after an error, and if the option says "no". */
static struct ast_option *option(struct yml *y, const struct yml_entry *e)
{
	enum ast_opt_kind kind = (enum ast_opt_kind)e->key->arg;
	struct dsl_result r = { 0 };
	struct ast_value *v;
	bool yes = false;

	switch ((int)e->key->type) {
	case YML_T_EXPR:
		if (!yml_dsl(y, DSL_EXPR, e->value, &r) || !r.expr)
			return NULL;
		return AST_OPTION(B, kind, e->at, .expr = r.expr);
	case YML_T_BOOL:
		if (!yml_bool(y, e->value, &yes) || !yes)
			return NULL;
		return AST_OPTION(B, kind, e->at, .values = NULL);
	case YML_T_WORD:
	case YML_T_DATE:
		/* the language allows only a bare word or a day here */
		if (e->value->kind != YML_SCALAR) {
			yml_wrong_shape(y, e->value, "a text");
			return NULL;
		}
		break;
	default:
		break;
	}
	v = yml_values(y, e->key->type, e->value);
	if (kind == AST_O_VIA)
		v = at_most(y, e, 1, "one proxy", v);
	else if (kind == AST_O_INJECT)
		v = at_most(y, e, 2, "a header, and what stands before the secret", v);
	return v ? AST_OPTION(B, kind, e->at, .values = v) : NULL;
}

/* `with: [[-f, --force], [-u]]`: the option once for each list. */
static struct ast_options repeated(struct yml *y, const struct yml_entry *e,
				   struct ast_options all)
{
	for (const struct yml_item *i = e->value->items; i && !yml_stop(y); i = i->next) {
		struct yml_entry one = *e;

		if (i->value->kind != YML_LIST) {
			yml_wrong_shape(y, i->value, "a list, as the one before it");
			return all;
		}
		one.value = i->value;
		one.at = i->value->at;
		all = ast_options_add(all, option(y, &one));
	}
	return all;
}

static struct ast_option *options(struct yml *y, const struct yml_entry *e)
{
	struct ast_options all = { 0 };

	for (const struct yml_entry *k = e->all; k; k = k->next) {
		bool lists = k->key->read == YML_DO_option &&
			     yml_is_repeatable((enum ast_opt_kind)k->key->arg, k->key->type) &&
			     k->value->kind == YML_LIST && k->value->items &&
			     k->value->items->value->kind == YML_LIST;

		if (lists)
			all = repeated(y, k, all);
		else if (k->key->read == YML_DO_option)
			all = ast_options_add(all, option(y, k));
	}
	return all.head;
}

static bool is_final(struct yml *y, const struct yml_entry *e)
{
	const struct yml_node *n = yml_part(e, "final");
	bool yes = false;

	return n && yml_bool(y, n, &yes) && yes;
}

/* --- rules ----------------------------------------------------------- */

static void add_rule(struct yml *y, const struct yml_entry *e, struct ast_stmt s)
{
	size_t errors = y->sink->errors;
	const struct yml_node *ops = yml_part(e, "op");

	s.kind = AST_RULE;
	s.at = e->node->at;
	s.name_at = e->name->at;
	s.final = is_final(y, e);
	if (ops)
		yml_ops(y, ops, &s.ops);
	if (e->key->scope == YML_S_NET) {
		s.net.proto = part_values(y, e, "proto");
		s.net.ports = part_values(y, e, "port");
	}
	s.options = options(y, e);
	if (y->sink->errors == errors)
		yml_add(y, ast_stmt(B, s));
}

void yml_do_rule(struct yml *y, const struct yml_entry *e)
{
	struct ast_stmt s = { .effect = (enum ast_effect)e->key->arg };
	struct ast_value *v = yml_values(y, e->key->type, e->value);

	if (!v)
		return;
	if (e->key->scope == YML_S_NET)
		s.net.hosts = v;
	else
		s.values = v;
	add_rule(y, e, s);
}

void yml_do_hostless(struct yml *y, const struct yml_entry *e)
{
	struct ast_stmt s = { 0 };

	if (!yml_effect(y, e->value, &s.effect))
		return;
	if (!yml_part(e, "proto") && !yml_part(e, "port")) {
		diag_add(y->sink, DIAG_YAML_MISSING, e->name->at,
			 "a rule without hosts needs 'proto' or 'port'");
		return;
	}
	add_rule(y, e, s);
}

/* --- defaults -------------------------------------------------------- */

static struct ast_value *risk_map(struct yml *y, const struct yml_node *n)
{
	struct ast_values all = { 0 };
	struct map seen;

	map_init(&seen, y->a);
	for (const struct yml_item *i = n->items; i && !yml_stop(y); i = i->next) {
		enum ast_effect effect;
		struct str class;

		if (yml_is_second(y, &seen, i->key))
			continue;
		if (!yml_word(y, i->key, &class) || !yml_effect(y, i->value, &effect))
			continue;
		all = ast_values_add(
			all, AST_VALUE(B, AST_V_NAME, yml_join(i->key, i->value),
				       .key = class,
				       .text = str_from(ast_effect_name(effect))));
	}
	return all.head;
}

void yml_do_otherwise(struct yml *y, const struct yml_entry *e)
{
	size_t errors = y->sink->errors;
	const struct yml_node *ops = yml_part(e, "op");
	enum ast_effect effect;
	unsigned mask = 0;

	if (e->value->kind == YML_MAP && e->key->type == YML_T_DEFAULT_RISK) {
		struct ast_value *pairs = risk_map(y, e->value);

		if (!pairs && y->sink->errors == errors)
			diag_add(y->sink, DIAG_YAML_EMPTY, e->value->at,
				 "no class has an effect here");
		if (pairs && y->sink->errors == errors)
			yml_add(y, AST_STMT(B, AST_OTHERWISE_BY_RISK, e->node->at,
					    .name_at = e->name->at, .pairs = pairs,
					    .locked = e->locked, .options = options(y, e)));
		return;
	}
	if (!yml_effect(y, e->value, &effect) || (ops && !yml_ops(y, ops, &mask)))
		return;
	yml_add(y, AST_STMT(B, AST_OTHERWISE, e->node->at, .name_at = e->name->at,
			    .effect = effect, .ops = mask, .locked = e->locked,
			    .options = options(y, e)));
}

void yml_do_opaque(struct yml *y, const struct yml_entry *e)
{
	enum ast_effect effect;

	if (yml_effect(y, e->value, &effect))
		yml_add(y, AST_STMT(B, AST_OPAQUE, e->node->at, .name_at = e->name->at,
				    .effect = effect, .locked = e->locked,
				    .options = options(y, e)));
}

void yml_do_mode(struct yml *y, const struct yml_entry *e)
{
	struct str name;

	if (yml_word(y, e->value, &name))
		yml_add(y, AST_STMT(B, AST_MODE, e->node->at, .name = name,
				    .name_at = e->value->at, .locked = e->locked));
}

/* --- facts about commands -------------------------------------------- */

void yml_do_risk(struct yml *y, const struct yml_entry *e)
{
	struct ast_value *v = part_values(y, e, "patterns");
	struct str class;

	if (yml_word(y, e->value, &class) && v)
		yml_add(y, AST_STMT(B, AST_RISK, e->node->at, .name = class,
				    .name_at = e->value->at, .values = v,
				    .options = options(y, e)));
}

/* Reads items one after another; each is a text of the language or a list of texts. */
static bool prog_items(struct yml *y, const struct yml_node *n,
		       struct ast_prog_items *all)
{
	struct dsl_result r = { 0 };
	bool ok = true;

	if (n->kind == YML_LIST) {
		for (const struct yml_item *i = n->items; i && !yml_stop(y);
		     i = i->next)
			ok &= prog_items(y, i->value, all);
		return ok;
	}
	if (!yml_dsl(y, DSL_ITEMS, n, &r))
		return false;
	for (struct ast_prog_item *i = r.items, *next; i; i = next) {
		next = i->next;
		i->next = NULL;
		*all = ast_prog_items_add(*all, i);
	}
	return true;
}

void yml_do_program(struct yml *y, const struct yml_entry *e)
{
	struct ast_value *names = yml_values(y, YML_T_NAMES, e->value);
	const struct yml_node *items = yml_part(e, "items");
	struct ast_prog_items all = { 0 };

	if (items && !prog_items(y, items, &all))
		return;
	if (names)
		yml_add(y, ast_stmt(B, (struct ast_stmt){
					       .kind = (enum ast_stmt_kind)e->key->arg,
					       .at = e->node->at,
					       .name_at = e->name->at,
					       .values = names,
					       .items = all.head }));
}

/* Statements of a word and its values: taint, safe, inert, scratch, via, keep. */
void yml_do_values(struct yml *y, const struct yml_entry *e)
{
	struct ast_value *v = yml_values(y, e->key->type, e->value);

	if (e->key->arg == AST_VIA)
		v = at_most(y, e, 1, "one proxy", v);
	if (v)
		yml_add(y, ast_stmt(B, (struct ast_stmt){
					       .kind = (enum ast_stmt_kind)e->key->arg,
					       .at = e->node->at,
					       .name_at = e->name->at,
					       .values = v,
					       .options = options(y, e),
					       .locked = e->locked,
					       .append = e->append }));
}

void yml_do_pin(struct yml *y, const struct yml_entry *e)
{
	struct ast_value *path = part_values(y, e, "path");
	struct ast_value *digest = part_values(y, e, "sha256");
	struct str name;

	if (!yml_word(y, e->value, &name))
		return;
	if (path && (digest || !yml_part(e, "sha256"))) {
		path->next = digest;
		yml_add(y, AST_STMT(B, AST_PIN, e->node->at, .name = name,
				    .name_at = e->value->at, .values = path));
	}
}

void yml_do_shell(struct yml *y, const struct yml_entry *e)
{
	struct ast_value *path = part_values(y, e, "path");
	struct str name;

	if (yml_word(y, e->value, &name) && (path || !yml_part(e, "path")))
		yml_add(y, AST_STMT(B, AST_SHELL, e->node->at, .name = name,
				    .name_at = e->value->at, .values = path));
}

/* --- mounts -------------------------------------------------- */

void yml_do_mount(struct yml *y, const struct yml_entry *e)
{
	struct ast_value *host = yml_values(y, YML_T_TEXT, e->value);
	struct ast_value *at = part_values(y, e, "at");
	const struct yml_node *n = yml_part(e, "op");
	unsigned ops = 0;

	if (!yml_ops(y, n, &ops) || !host || !at)
		return;
	host->next = at;
	yml_add(y, AST_STMT(B, AST_MOUNT, e->node->at, .name_at = e->name->at,
			    .ops = ops, .values = host));
}
