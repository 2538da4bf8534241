/*
 * Reads whole sections, and the statements that only `env`, `session` and `runner`
 * have.
 */
#include "compiler/frontend/plain_secret.h"
#include "compiler/frontend/yaml_value.h"

#define B (y->b)

/* --- env ------------------------------------------------------------- */

/* Warns if a text is a secret that everybody can read. */
static void check_secret(struct yml *y, struct str name, const struct yml_node *value)
{
	struct diag *d;

	if (value->kind != YML_SCALAR)
		return;
	d = plain_secret(y->sink, name, value->text, value->at);
	if (d)
		diag_help(y->sink, d, "name the secret instead: '${SECRET:%.*s}'",
			  STR_ARG(name));
}

/* The name, if the text is `${SECRET:NAME}` and nothing else. */
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
	check_secret(y, name, value);
	v = yml_values(y, YML_T_TEXT, value);
	if (v)
		yml_add(y, AST_STMT(B, AST_SET, at, .name = name, .name_at = key->at,
				    .values = v));
}

/* Reads the NAME: TEXT pairs of `env`. */
static void read_variables(struct yml *y, const struct yml_node *n)
{
	struct map seen;

	map_init(&seen, y->a);
	for (const struct yml_item *i = n->items; i && !yml_stop(y); i = i->next)
		if (!yml_is_second(y, &seen, i->key))
			one_variable(y, i->key, i->value);
}

void yml_do_set(struct yml *y, const struct yml_entry *e)
{
	struct ast_value *v = yml_values(y, YML_T_TEXT, yml_part(e, "value"));
	struct str name;

	if (!yml_word(y, e->value, &name))
		return;
	check_secret(y, name, yml_part(e, "value"));
	if (v)
		yml_add(y, AST_STMT(B, AST_SET, e->node->at, .name = name,
				    .name_at = e->value->at, .values = v,
				    .locked = e->locked));
}

void yml_do_secret(struct yml *y, const struct yml_entry *e)
{
	const struct yml_node *from = yml_part(e, "from");
	struct ast_value *v = yml_values(y, YML_T_TEXT, yml_part(e, "value")), *source;
	struct str name, word;

	if (!yml_word(y, e->value, &name) || !yml_word(y, from, &word) || !v)
		return;
	source = AST_VALUE(B, AST_V_NAME, from->at, .text = word);
	source->next = v;
	yml_add(y, AST_STMT(B, AST_SECRET, e->node->at, .name = name,
			    .name_at = e->value->at, .values = source,
			    .locked = e->locked));
}

/* --- session --------------------------------------------------------- */

void yml_do_rate(struct yml *y, const struct yml_entry *e)
{
	const struct yml_node *count = yml_part(e, "count"), *per = yml_part(e, "per");
	struct ast_value *v, *time;
	struct str name;

	if (count->kind != YML_SCALAR || per->kind != YML_SCALAR) {
		yml_wrong_shape(y, count->kind != YML_SCALAR ? count : per, "a number");
		return;
	}
	v = yml_values(y, YML_T_NUMBER, count);
	time = yml_values(y, YML_T_NUMBER, per);
	if (yml_word(y, e->value, &name) && v && time)
		yml_add(y, AST_STMT(B, AST_RATE, e->node->at, .name = name,
				    .name_at = e->value->at, .values = v, .per = time,
				    .locked = e->locked));
}

/* A rate, or pairs; `rate` is not a key of a pair. */
static void session_item(struct yml *y, const struct yml_node *n)
{
	bool rate = false;

	for (const struct yml_item *i = n->kind == YML_MAP ? n->items : NULL; i;
	     i = i->next)
		rate |= str_eqz(i->key->text, "rate") ||
			str_eqz(i->key->text, "locked rate");
	if (rate)
		yml_read_items(y, n, YML_S_SESSION);
	else
		yml_read_map(y, n, YML_S_SESSION);
}

/* --- runner ---------------------------------------------------------- */

void yml_do_route(struct yml *y, const struct yml_entry *e)
{
	struct ast_value *classes = yml_values(y, YML_T_WORDS, e->value);
	const struct yml_node *to = yml_part(e, "to"), *other = yml_part(e, "else");
	enum ast_effect effect = AST_ALLOW;
	struct str name;

	if (!yml_word(y, to, &name) || (other && !yml_effect(y, other, &effect)) ||
	    !classes)
		return;
	yml_add(y, AST_STMT(B, AST_ROUTE, e->node->at, .name = name, .name_at = to->at,
			    .values = classes, .has_else = other != NULL,
			    .effect = effect, .locked = e->locked));
}

static void add_block(struct yml *y, struct span at, const struct yml_node *name,
		      const struct yml_node *body, bool locked)
{
	struct ast_stmts outer = yml_begin(y);
	struct ast_stmt *stmts;
	struct str text;

	yml_read_maps(y, body, YML_S_BLOCK);
	stmts = yml_end(y, outer);
	if (yml_word(y, name, &text))
		yml_add(y,
			AST_STMT(B, AST_RUNNER, at, .name = text, .name_at = name->at,
				 .body = stmts, .locked = locked));
}

void yml_do_block(struct yml *y, const struct yml_entry *e)
{
	add_block(y, e->node->at, e->value, yml_part(e, "body"), e->locked);
}

/* Reads `mode: …`, and NAME: BODY for each runner. */
static void read_runner(struct yml *y, const struct yml_node *n)
{
	struct map seen;

	map_init(&seen, y->a);
	for (const struct yml_item *i = n->items; i && !yml_stop(y); i = i->next) {
		struct str name = i->key->text;
		struct yml_node key = *i->key;
		struct yml_entry e = { .name = i->key,
				       .value = i->value,
				       .node = n,
				       .at = yml_join(i->key, i->value) };

		if (yml_is_second(y, &seen, i->key))
			continue;
		if (str_starts(name, STR("locked "))) {
			e.locked = true;
			key.text = name = str_sub(name, 7, name.n - 7);
		}
		if (e.locked && str_eqz(name, "pol")) {
			diag_add(y->sink, DIAG_YAML_PLACE, i->key->at,
				 "'locked' cannot stand with 'pol'");
		} else if (str_eqz(name, "mode")) {
			if (yml_word(y, i->value, &name))
				yml_add(y, AST_STMT(B, AST_MODE, e.at, .name = name,
						    .name_at = i->value->at,
						    .locked = e.locked));
		} else if (str_eqz(name, "pol")) {
			e.key = yml_find(&y->keys, YML_S_RUNNER, name);
			yml_read(y, &e);
		} else {
			add_block(y, e.at, &key, i->value, e.locked);
		}
	}
}

/* --- sections -------------------------------------------------------- */

static void section_body(struct yml *y, const struct yml_entry *e)
{
	const struct yml_node *n = e->value;
	struct yml_item one;

	if (e->key->type == YML_T_PAIRS)
		yml_read_maps(y, n, e->key->sub);
	else if (e->key->type == YML_T_RUNNER && n->kind == YML_MAP)
		read_runner(y, n);
	else if (e->key->type == YML_T_ENV && n->kind == YML_MAP)
		read_variables(y, n);
	else if (e->key->type != YML_T_SESSION)
		yml_read_items(y, n, e->key->sub);
	else
		for (const struct yml_item *i = yml_list(n, &one); i && !yml_stop(y);
		     i = i->next)
			session_item(y, i->value);
}

void yml_do_section(struct yml *y, const struct yml_entry *e)
{
	struct ast_stmts outer = yml_begin(y);

	section_body(y, e);
	yml_add(y, AST_STMT(B, AST_SECTION, e->at, .name_at = e->name->at,
			    .section = (enum ast_section_kind)e->key->arg,
			    .locked = e->locked, .body = yml_end(y, outer)));
}

/* --- network --------------------------------------------------------- */

/* `network: limited` without a list of domains: uses the default domains. */
static void default_domains(struct yml *y, const struct yml_entry *e)
{
	if (yml_part(e, "allowedDomains") || yml_part(e, "allowedHosts") || y->hosts ||
	    y->in_role || y->in_block)
		return;
	yml_add(y,
		AST_STMT(B, AST_USE, e->value->at,
			 .values = AST_VALUE(B, AST_V_PATH, e->value->at,
					     .text = STR("std/net/default-domains"))));
}

/* The mode that `{enabled: true, allowedHosts: […]}` means. */
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

/* Reads the statements of a section with a mode, in the order of their keys. */
static void network_body(struct yml *y, const struct yml_entry *all)
{
	for (; all; all = all->next)
		if (all->key->sub)
			yml_read_items(y, all->value, all->key->sub);
		else
			yml_read(y, all);
}

void yml_do_network(struct yml *y, const struct yml_entry *e)
{
	const struct yml_node *word = e->value;
	struct span name_at = e->name->at;
	struct ast_stmts outer;
	struct ast_stmt *body = NULL;
	struct str name = STR_NULL;
	bool ok = true;

	if (e->value->kind == YML_LIST) {
		outer = yml_begin(y);
		yml_read_items(y, e->value, YML_S_NET);
		body = yml_end(y, outer);
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
		outer = yml_begin(y);
		network_body(y, all);
		body = yml_end(y, outer);
	}
	if (word) {
		if (!yml_word(y, word, &name))
			return;
		name_at = word->at;
		if (word == e->value && str_eqz(name, "limited"))
			default_domains(y, e);
	}
	yml_add(y, AST_STMT(B, AST_SECTION, e->at, .section = AST_SEC_NETWORK,
			    .name = name, .name_at = name_at, .locked = e->locked,
			    .body = body));
}
