/*
 * Keys that are not words of the language but of the configuration files that
 * agents have: what is policy in them becomes statements.
 */
#include "compiler/frontend/yaml_internal.h"

#define B (y->b)

/* --- variables ------------------------------------------------------- */

static bool has_word(struct str s, const char *word)
{
	size_t n = strlen(word);

	for (size_t i = 0; i + n <= s.n; i++)
		if (strncasecmp(s.p + i, word, n) == 0)
			return true;
	return false;
}

/* Names and values under which people keep what nobody else shall read. */
static bool looks_secret(struct str name, struct str value)
{
	static const char *const names[] = {"PASSWORD",   "PASSWD",      "SECRET",
					    "TOKEN",      "API_KEY",     "APIKEY",
					    "ACCESS_KEY", "PRIVATE_KEY", "CREDENTIAL"};
	static const char *const begins[] = {
		"sk-",   "ghp_", "gho_", "github_pat_", "glpat-",    "xoxb-",
		"xoxp-", "AKIA", "AIza", "eyJ",         "-----BEGIN"};

	if (value.n < 4 || memmem(value.p, value.n, "${", 2) || value.p[0] == '/' ||
	    str_eqz(value, "true") || str_eqz(value, "false"))
		return false;
	for (size_t i = 0; i < POL_LEN(begins); i++)
		if (str_starts(value, str_from(begins[i])))
			return true;
	for (size_t i = 0; i < POL_LEN(names); i++)
		if (has_word(name, names[i]))
			return true;
	return false;
}

void yml_check_secret(struct yml *y, struct str name, const struct yml_node *value)
{
	struct diag *d;

	if (value->kind != YML_SCALAR || !looks_secret(name, value->text))
		return;
	d = diag_add(y->sink, DIAG_PLAIN_SECRET, value->at,
		     "the value of '%.*s' looks like a secret in plain text",
		     STR_ARG(name));
	diag_help(y->sink, d, "name the secret instead: '${SECRET:%.*s}'",
		  STR_ARG(name));
}

/* The name in a text that is `${SECRET:NAME}` and nothing else. */
static bool secret_name(struct str text, struct str *ret)
{
	if (!str_starts(text, STR("${SECRET:")) || !str_ends(text, STR("}")))
		return false;
	*ret = str_sub(text, 9, text.n - 10);
	return ret->n && !memchr(ret->p, '}', ret->n) && !memchr(ret->p, '$', ret->n);
}

static void one_variable(struct yml *y, const struct yml_node *key,
			 const struct yml_node *value)
{
	struct span at = yml_join(key, value);
	struct str name, text, store;
	struct ast_value *v;

	if (!yml_word(y, key, &name) || !yml_text(y, value, "a text", &text))
		return;
	if (secret_name(text, &store)) {
		v = AST_VALUE(B, AST_V_NAME, value->at, .text = STR("store"));
		v->next = AST_VALUE(B, AST_V_STRING, value->at, .text = store);
		yml_add(y, AST_STMT(B, AST_SECRET, at, .name = name, .name_at = key->at,
				    .values = v));
		return;
	}
	if (memmem(text.p, text.n, "${SECRET:", 9)) {
		diag_add(y->sink, DIAG_YAML_VALUE, value->at,
			 "'${SECRET:…}' stands for a whole value");
		return;
	}
	yml_check_secret(y, name, value);
	v = yml_values(y, YML_T_TEXT, value);
	if (v)
		yml_add(y, AST_STMT(B, AST_SET, at, .name = name, .name_at = key->at,
				    .values = v));
}

void yml_read_variables(struct yml *y, const struct yml_node *n)
{
	struct map seen;

	map_init(&seen, y->a);
	for (const struct yml_item *i = n->items; i && !B->full; i = i->next)
		if (!yml_is_second(y, &seen, i->key))
			one_variable(y, i->key, i->value);
}
