/*
 * What configuration files say about alerts, classes of risk and tools: conditions
 * in the form of sentences, and effects by class (or classes by effect).
 */
#include "compiler/base/num.h"
#include "compiler/frontend/yaml_value.h"

#define B (y->b)

/* --- alerts ---------------------------------------------------------- */

/* The next word of a sentence, or an empty one. */
static struct str next_word(struct str *rest)
{
	struct str word;
	size_t i = 0;

	while (rest->n && rest->p[0] == ' ')
		*rest = str_sub(*rest, 1, rest->n - 1);
	while (i < rest->n && rest->p[i] != ' ')
		i++;
	word = str_sub(*rest, 0, i);
	*rest = str_sub(*rest, i, rest->n - i);
	return word;
}

/* Reads "minute", "1 minute", "5 minutes" or "1m" into a duration of the language. */
static bool read_time(struct yml *y, struct str rest, struct str *ret)
{
	static const char *const units[] = { "second", "s", "minute", "m",
					     "hour",   "h", "day",    "d" };
	struct str n = next_word(&rest), unit = next_word(&rest);
	uint64_t v;

	if (next_word(&rest).n)
		return false;
	if (!unit.n && num_duration(n, &v)) {
		*ret = n;
		return v > 0;
	}
	if (!unit.n) {
		unit = n;
		n = STR("1");
	}
	if (!num_u64(n, &v))
		return false;
	for (size_t i = 0; i < POL_LEN(units); i += 2) {
		struct str one = str_from(units[i]);

		if (!str_eq(unit, one) && !str_eq(unit, str_cat(y->a, one, STR("s"))))
			continue;
		*ret = str_printf(y->a, "%.*s%s", STR_ARG(n), units[i + 1]);
		return true;
	}
	return false;
}

/* Translates the words of these files for what is counted; other words are kept. */
static struct str metric(struct str word)
{
	static const char *const words[][2] = { { "rate", "created" },
						{ "denials", "denied" } };

	for (size_t i = 0; i < POL_LEN(words); i++)
		if (str_eqz(word, words[i][0]))
			return str_from(words[i][1]);
	return word;
}

/* Reads "METRIC > NUMBER [per|in TIME]": the condition and its time. */
static bool read_condition(struct yml *y, const struct yml_node *n,
			   struct ast_expr **ret, struct ast_value **ret_per)
{
	struct str rest, name, op, number, word, time;
	struct diag *d;
	uint64_t v;
	bool ok;

	if (!yml_text(y, n, "a condition", &rest))
		return false;
	name = next_word(&rest);
	op = next_word(&rest);
	number = next_word(&rest);
	word = next_word(&rest);
	ok = ast_is_name(name) && (str_eqz(op, ">") || str_eqz(op, ">=")) &&
	     num_milli(number, &v);
	if (ok && word.n)
		ok = (str_eqz(word, "per") || str_eqz(word, "in")) &&
		     read_time(y, rest, &time);
	if (!ok) {
		d = diag_add(y->sink, DIAG_YAML_VALUE, n->at,
			     "'%.*s' is no condition of an alert", STR_ARG(n->text));
		diag_help(y->sink, d,
			  "conditions are 'rate > 10 per minute', 'denials > 5 in 1 "
			  "minute', 'utilization >= 0.95'");
		return false;
	}
	*ret = ast_expr_op(B, str_eqz(op, ">") ? AST_X_GT : AST_X_GE, n->at,
			   ast_expr_leaf(B, AST_X_NAME, n->at, metric(name)),
			   ast_expr_leaf(B, AST_X_NUMBER, n->at, number));
	*ret_per = word.n ? AST_VALUE(B, AST_V_NUMBER, n->at, .text = time) : NULL;
	return true;
}

static void one_alert(struct yml *y, const struct yml_node *n)
{
	bool ok;
	const struct yml_entry *all = yml_entries(y, n, YML_S_ALERTS, &ok);
	struct ast_value *per = NULL;
	struct ast_expr *cond;
	const char *action;
	struct str name;

	if (!ok || !yml_word(y, yml_get(all, "name")->value, &name) ||
	    !read_condition(y, yml_get(all, "condition")->value, &cond, &per))
		return;
	action = yml_choice(y, yml_get(all, "action")->value, YML_W_ACTION);
	if (action)
		yml_add(y,
			AST_STMT(B, AST_ALERT, n->at, .name = name,
				 .name_at = yml_get(all, "name")->value->at,
				 .expr = cond, .per = per,
				 .values = AST_VALUE(B, AST_V_NAME,
						     yml_get(all, "action")->value->at,
						     .text = str_from(action))));
}

void yml_do_alerts(struct yml *y, const struct yml_entry *e)
{
	struct yml_item one;

	for (const struct yml_item *i = yml_list(e->value, &one); i && !yml_stop(y);
	     i = i->next)
		one_alert(y, i->value);
}

/* --- classes of risk ------------------------------------------------- */

enum { LOW, MEDIUM, HIGH, CRITICAL, CLASSES };

static const char *const class_names[CLASSES] = { "low", "medium", "high", "critical" };

/* The class that a key of RISKS names, or -1 if the key is an effect. */
static int class_of(const char *key)
{
	static const struct {
		const char *key;
		int class;
	} tools[] = { { "readOnly", LOW },
		      { "writesWorkspace", LOW },
		      { "writesFs", HIGH },
		      { "network", HIGH },
		      { "exec", CRITICAL } };

	for (int i = 0; i < CLASSES; i++)
		if (strcmp(key, class_names[i]) == 0)
			return i;
	for (size_t i = 0; i < POL_LEN(tools); i++)
		if (strcmp(key, tools[i].key) == 0)
			return tools[i].class;
	return -1;
}

static enum ast_effect effect_of(const char *word)
{
	return strcmp(word, "allow") == 0 ? AST_ALLOW
	       : strcmp(word, "ask") == 0 ? AST_ASK
					  : AST_DENY;
}

struct risks {
	bool given[CLASSES];
	enum ast_effect effect[CLASSES];
	struct span at[CLASSES];
};

/* Several kinds of tools may have the same class: the strictest effect counts. */
static void say(struct risks *r, int class, enum ast_effect effect, struct span at)
{
	if (!r->given[class] || effect > r->effect[class])
		r->effect[class] = effect;
	if (!r->given[class])
		r->at[class] = at;
	r->given[class] = true;
}

/* Reads `deny: high` or `deny: [high, critical]`. */
static void say_classes(struct yml *y, struct risks *r, const struct yml_entry *e,
			const struct yml_node *n)
{
	enum ast_effect effect = effect_of(
		yml_meaning(y,
			    &(struct yml_node){ .kind = YML_SCALAR,
						.text = str_from(e->key->name) },
			    YML_W_EFFECT));
	const char *class;

	if (n->kind == YML_LIST) {
		for (const struct yml_item *i = n->items; i && !yml_stop(y);
		     i = i->next)
			say_classes(y, r, e, i->value);
		return;
	}
	class = yml_choice(y, n, YML_W_CLASS);
	if (!class)
		return;
	if (r->given[class_of(class)]) {
		struct diag *d =
			diag_add(y->sink, DIAG_YAML_DUPLICATE_KEY, n->at,
				 "the class '%s' has an effect already", class);

		diag_note(y->sink, d, r->at[class_of(class)], "it is given here");
		return;
	}
	say(r, class_of(class), effect, n->at);
}

static bool read_risks(struct yml *y, const struct yml_entry *e, struct risks *r)
{
	size_t errors = y->sink->errors;
	bool ok;

	*r = (struct risks){ 0 };
	for (const struct yml_entry *k = yml_entries(y, e->value, e->key->sub, &ok); k;
	     k = k->next) {
		int class = class_of(k->key->name);
		const char *effect;

		if (class < 0) {
			say_classes(y, r, k, k->value);
			continue;
		}
		effect = yml_choice(y, k->value, (enum yml_word_set)k->key->arg);
		if (effect)
			say(r, class, effect_of(effect), k->at);
	}
	return ok && y->sink->errors == errors;
}

static void add_risks(struct yml *y, const struct yml_entry *e,
		      enum ast_section_kind section, const struct risks *r)
{
	struct ast_values pairs = { 0 };

	for (int i = 0; i < CLASSES; i++)
		if (r->given[i])
			pairs = ast_values_add(
				pairs, AST_VALUE(B, AST_V_NAME, r->at[i],
						 .key = str_from(class_names[i]),
						 .text = str_from(ast_effect_name(
							 r->effect[i]))));
	if (!pairs.head)
		diag_add(y->sink, DIAG_YAML_EMPTY, e->value->at,
			 "no class has an effect here");
	else
		yml_add_in(y, section,
			   AST_STMT(B, AST_OTHERWISE_BY_RISK, e->at,
				    .name_at = e->name->at, .pairs = pairs.head));
}

void yml_do_command_risks(struct yml *y, const struct yml_entry *e)
{
	struct risks r;

	if (read_risks(y, e, &r))
		add_risks(y, e, AST_SEC_COMMAND, &r);
}

/* A class that is not mentioned gets ask, or the stricter effect of the class below. */
void yml_do_tool_risks(struct yml *y, const struct yml_entry *e)
{
	struct risks r;

	if (!read_risks(y, e, &r))
		return;
	for (int i = 0; i < CLASSES; i++)
		if (!r.given[i])
			say(&r, i,
			    i > LOW && r.effect[i - 1] > AST_ASK ? r.effect[i - 1]
								 : AST_ASK,
			    e->at);
	add_risks(y, e, AST_SEC_TOOLS, &r);
}

/* --- tools ----------------------------------------------------------- */

/* `requiresPermission: false` means nothing: the class of the tool decides. */
static void tool_body(struct yml *y, const struct yml_entry *e)
{
	static const char *const pairs[][2] = { { "risk", "risk" },
						{ "riskLevel", "risk" },
						{ "needsNetwork", "needs-network" },
						{ "preferredRunner", "runner" },
						{ "description", "description" } };
	bool yes = false;

	for (; e; e = e->next) {
		struct ast_value *v;
		size_t i = 0;

		while (i < POL_LEN(pairs) && strcmp(e->key->name, pairs[i][0]))
			i++;
		if (i < POL_LEN(pairs) && (v = yml_value_of(y, e)))
			yml_add(y, AST_STMT(B, AST_PAIR, e->at,
					    .name = str_from(pairs[i][1]),
					    .name_at = e->name->at, .values = v));
		if (i == POL_LEN(pairs) && yml_bool(y, e->value, &yes) && yes)
			yml_add(y, AST_STMT(B, AST_TOOL_EFFECT, e->at,
					    .name_at = e->name->at, .effect = AST_ASK));
	}
}

/* A mapping says NAME: facts about a tool; a list holds statements of the section. */
void yml_do_tools(struct yml *y, const struct yml_entry *e)
{
	struct map seen;

	if (e->value->kind != YML_MAP) {
		yml_do_section(y, e);
		return;
	}
	map_init(&seen, y->a);
	for (const struct yml_item *i = e->value->items; i && !yml_stop(y); i = i->next) {
		struct ast_stmts outer;
		const struct yml_entry *all;
		bool ok;

		if (yml_is_second(y, &seen, i->key))
			continue;
		all = yml_entries(y, i->value, YML_S_TOOLMETA, &ok);
		outer = yml_begin(y);
		tool_body(y, all);
		yml_add(y, AST_STMT(B, AST_TOOL, yml_join(i->key, i->value),
				    .name = i->key->text, .name_at = i->key->at,
				    .body = yml_end(y, outer)));
	}
}
