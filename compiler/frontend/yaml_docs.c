/*
 * Keys that are not words of the language but of the configuration files of agents.
 * The policy that they contain becomes rules and limits.
 * One item of a list is one statement.
 */
#include "compiler/base/num.h"
#include "compiler/frontend/yaml_paths.h"
#include "compiler/frontend/yaml_value.h"

#define B (y->b)

/* --- connections ----------------------------------------------------- */

static struct ast_stmt *connection(struct yml *y, enum yml_type type,
				   const struct yml_node *n)
{
	struct ast_value *v = yml_values(y, type, n);

	if (!v)
		return NULL;
	if (type == YML_T_PORTS)
		return AST_STMT(B, AST_RULE, n->at, .name_at = n->at, .effect = AST_DENY,
				.net = { .ports = v });
	return AST_STMT(B, AST_RULE, n->at, .name_at = n->at, .effect = AST_ALLOW,
			.net = { AST_VALUE(B, AST_V_NAME, n->at, .text = STR("tcp")), v,
				 NULL });
}

/* Hosts become allow rules, ports become deny rules. */
void yml_do_connections(struct yml *y, const struct yml_entry *e)
{
	struct yml_item one;

	for (const struct yml_item *i = yml_list(e->value, &one); i && !yml_stop(y);
	     i = i->next) {
		struct ast_stmt *s = connection(y, e->key->type, i->value);

		if (s && e->key->scope == YML_S_NETMODE)
			yml_add(y, s);
		else if (s)
			yml_add_in(y, AST_SEC_NETWORK, s);
	}
}

/* --- limits ---------------------------------------------------------- */

static const struct {
	const char *pair, *unit, *wanted;
} quantities[] = {
	[YML_Q_CPU] = { "cpu", NULL, "number of processors" },
	[YML_Q_CPU_PERCENT] = { "cpu", NULL, "whole percentage" },
	[YML_Q_MEMORY] = { "memory", NULL, "size" },
	[YML_Q_MEMORY_MB] = { "memory", "M", "whole number of MiB" },
	[YML_Q_DISK] = { "disk", NULL, "size" },
	[YML_Q_DISK_MB] = { "disk", "M", "whole number of MiB" },
	[YML_Q_PROCESSES] = { "processes", "", "count" },
	[YML_Q_FILES] = { "files", "", "count" },
	[YML_Q_SECONDS] = { "time", "s", "whole number of seconds" },
	[YML_Q_STDOUT_KB] = { "stdout", "K", "whole number of KiB" },
	[YML_Q_STDERR_KB] = { "stderr", "K", "whole number of KiB" },
	[YML_Q_WRITTEN_MB] = { "written", "M", "whole number of MiB" },
};

/* Reads 4g, 512MB or 10Gi into digits and the one letter that the language uses. */
static bool read_size(struct yml *y, struct str text, struct str *ret)
{
	static const char units[] = "kKmMgGtT";
	size_t n = 0, end;
	char unit;

	while (n < text.n && text.p[n] >= '0' && text.p[n] <= '9')
		n++;
	if (!n || (n > 1 && text.p[0] == '0'))
		return false;
	*ret = str_sub(text, 0, n);
	if (n == text.n)
		return true;
	unit = text.p[n];
	if (!strchr(units, unit))
		return n + 1 == text.n && (unit == 'b' || unit == 'B');
	if (unit >= 'a')
		unit = (char)(unit - 'a' + 'A');
	*ret = str_printf(y->a, "%.*s%c", STR_ARG(*ret), unit);
	end = n + 1;
	if (end < text.n && text.p[end] == 'i')
		end++;
	if (end < text.n && (text.p[end] == 'b' || text.p[end] == 'B'))
		end++;
	return end == text.n;
}

static bool read_quantity(struct yml *y, enum yml_quantity q, struct str text,
			  struct str *ret)
{
	uint64_t n;

	if (q == YML_Q_MEMORY || q == YML_Q_DISK)
		return read_size(y, text, ret);
	*ret = text;
	if (q == YML_Q_CPU)
		return num_milli(text, &n);
	if (!num_u64(text, &n) || str_starts(text, STR("0x")))
		return false;
	if (q == YML_Q_CPU_PERCENT)
		*ret = str_printf(y->a, "%llu.%02llu", (unsigned long long)(n / 100),
				  (unsigned long long)(n % 100));
	else
		*ret = str_cat(y->a, text, str_from(quantities[q].unit));
	return true;
}

static struct ast_stmt *quantity(struct yml *y, const struct yml_entry *e)
{
	enum yml_quantity q = (enum yml_quantity)e->key->arg;
	struct str text, number;

	if (!yml_text(y, e->value, quantities[q].wanted, &text))
		return NULL;
	if (!read_quantity(y, q, text, &number)) {
		diag_add(y->sink, DIAG_YAML_VALUE, e->value->at, "'%.*s' is no %s",
			 STR_ARG(text), quantities[q].wanted);
		return NULL;
	}
	return AST_STMT(
		B, AST_PAIR, e->at, .name = str_from(quantities[q].pair),
		.name_at = e->name->at,
		.values = AST_VALUE(B, AST_V_NUMBER, e->value->at, .text = number));
}

void yml_do_quantity(struct yml *y, const struct yml_entry *e)
{
	struct ast_stmt *s = quantity(y, e);

	if (s)
		yml_add(y, s);
}

void yml_do_limit(struct yml *y, const struct yml_entry *e)
{
	struct ast_stmt *s = quantity(y, e);

	if (s)
		yml_add_in(y, AST_SEC_LIMITS, s);
}

/* --- permissions ----------------------------------------------------- */

static const struct {
	const char *type;
	enum ast_section_kind section;
	unsigned ops;
	enum yml_type pattern;
} permission_types[] = {
	{ "command", AST_SEC_COMMAND, 0, YML_T_PATTERNS },
	{ "read", AST_SEC_FILE, AST_OP_READ, YML_T_PATHS },
	{ "write", AST_SEC_FILE, AST_OP_WRITE, YML_T_PATHS },
	{ "exec", AST_SEC_FILE, AST_OP_EXEC, YML_T_PATHS },
	{ "network", AST_SEC_NETWORK, 0, YML_T_HOSTS },
	{ "unix", AST_SEC_UNIX, 0, YML_T_PATHS },
	{ "tool", AST_SEC_TOOLS, 0, YML_T_NAMES },
};

/* `scope: sandbox` as a condition; NULL if the scope is everything. */
static struct ast_option *scope_option(struct yml *y, const struct yml_entry *e)
{
	const char *scope = yml_choice(y, e->value, YML_W_SCOPE);
	struct span at = e->value->at;
	struct ast_expr *x;

	if (!scope || !*scope)
		return NULL;
	x = ast_expr_op(B, AST_X_EQ, at, ast_expr_leaf(B, AST_X_NAME, at, STR("scope")),
			ast_expr_leaf(B, AST_X_NAME, at, str_from(scope)));
	return AST_OPTION(B, AST_O_WHEN, e->at, .expr = x);
}

static struct ast_option *permission_options(struct yml *y, const struct yml_entry *all,
					     enum yml_type pattern)
{
	struct ast_options os = { 0 };

	for (const struct yml_entry *e = all; e; e = e->next) {
		enum ast_opt_kind kind = (enum ast_opt_kind)e->key->arg;
		struct ast_value *v;

		if (e->key->read != YML_DO_option)
			continue;
		if (strcmp(e->key->name, "scope") == 0) {
			os = ast_options_add(os, scope_option(y, e));
			continue;
		}
		v = yml_values(y, kind == AST_O_EXCEPT ? pattern : e->key->type,
			       e->value);
		if (kind == AST_O_EXCEPT && pattern == YML_T_PATHS)
			yml_name_project(y, v);
		if (v)
			os = ast_options_add(os,
					     AST_OPTION(B, kind, e->at, .values = v));
	}
	return os.head;
}

static void one_permission(struct yml *y, const struct yml_entry *list,
			   const struct yml_node *n)
{
	bool ok, final = false;
	const struct yml_entry *all = yml_entries(y, n, YML_S_PERMISSION, &ok);
	const struct yml_entry *last = yml_get(all, "final");
	const char *type;
	struct ast_stmt s = { .kind = AST_RULE,
			      .at = n->at,
			      .effect = (enum ast_effect)list->key->arg };
	struct ast_value *v;
	size_t i = 0, errors;

	if (!ok ||
	    !(type = yml_choice(y, yml_get(all, "type")->value, YML_W_PERMISSION)) ||
	    (last && !yml_bool(y, last->value, &final)))
		return;
	while (strcmp(permission_types[i].type, type))
		i++;
	errors = y->sink->errors;
	s.name_at = yml_get(all, "type")->at;
	s.final = final;
	s.ops = permission_types[i].ops;
	v = yml_values(y, permission_types[i].pattern, yml_get(all, "pattern")->value);
	if (permission_types[i].pattern == YML_T_PATHS)
		yml_name_project(y, v);
	if (permission_types[i].section == AST_SEC_NETWORK) {
		s.net.hosts = v;
		if (s.effect != AST_DENY) /* allowed hosts mean connections */
			s.net.proto =
				AST_VALUE(B, AST_V_NAME, n->at, .text = STR("tcp"));
	} else {
		s.values = v;
	}
	s.options = permission_options(y, all, permission_types[i].pattern);
	if (v && y->sink->errors == errors)
		yml_add_in(y, permission_types[i].section, ast_stmt(B, s));
}

void yml_do_permissions(struct yml *y, const struct yml_entry *e)
{
	struct yml_item one;

	for (const struct yml_item *i = yml_list(e->value, &one); i && !yml_stop(y);
	     i = i->next)
		one_permission(y, e, i->value);
}
