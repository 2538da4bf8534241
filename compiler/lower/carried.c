/*
 * Reads what this version only carries for later ones: runner, session, audit, alerts,
 * keys of tools.  Every key and value is checked against settings.def.
 * Statements with a form of their own (rates, routes, alerts) are read here.
 */
#include "compiler/lower/settings.h"

#include <inttypes.h>

#include "compiler/ast/build.h"
#include "compiler/lower/claims.h"

static const char runner_words[] = "native|container|devcontainer|cloud";

static void pair(struct lower *l, const struct sema_stmt *t, enum ir_part part,
		 const char *prefix, const struct ast_stmt *p)
{
	struct str key = str_printf(l->a, "%s%.*s", prefix, STR_ARG(p->name));
	const struct lower_spec *spec = lower_spec(part, key);

	if (!spec || strchr(spec->key + strlen(prefix), '*'))
		lower_no_key(l, part, prefix, p->name, p->name_at);
	else
		lower_say(l, t, spec, key, p, p->values);
}

/* Is the word one of "a|b|c"?  If not, reports that it is not a `what`. */
static bool is_one_of(struct lower *l, const char *words, struct str word, struct span at,
		      enum diag_code code, const char *what)
{
	if (lower_word(words, word) >= 0)
		return true;
	lower_suggest(l, diag_add(l->sink, code, at, "'%.*s' is no %s", STR_ARG(word), what),
		      word, words);
	return false;
}

static struct ir_value text_item(const char *key, struct str text)
{
	return (struct ir_value){ .type = IR_V_TEXT, .text = text, .key = str_from(key) };
}

static struct ir_value number_item(struct lower *l, const char *key, uint64_t n)
{
	return (struct ir_value){ .type = IR_V_NUMBER,
				  .text = str_printf(l->a, "%" PRIu64, n),
				  .key = str_from(key) };
}

/*
 * Makes a claim whose value is a map of these items; the caller has put their keys in
 * order.
 */
static void say_map(struct lower *l, const struct sema_stmt *t, enum ir_part part,
		    struct str key, const struct ir_value *items, size_t n)
{
	struct claim *x = lower_setting(l, t, lower_spec(part, key), key, t->stmt->at);
	struct ir_setting *s = x->value;

	s->value = (struct ir_value){ .type = IR_V_MAP,
				      .items = arena_dup(l->a, items, n * sizeof(*items)),
				      .nitems = n };
	claim_add(l, x);
}

/* --- runner ------------------------------------------------------------------- */

static void route(struct lower *l, const struct sema_stmt *t)
{
	static const char classes[] =
		"read-only|writes-workspace|writes-fs|network|exec|low|medium|high|critical";
	struct str runner = t->stmt->name;
	struct ir_value items[2];
	size_t n = 0;

	if (!is_one_of(l, runner_words, runner, t->stmt->name_at, DIAG_SETTING_VALUE,
		       "runner"))
		return;
	if (t->stmt->has_else)
		items[n++] = text_item("else",
				       str_from(ast_effect_name(t->stmt->effect)));
	items[n++] = text_item("runner", runner);
	for (const struct ast_value *v = t->stmt->values; v; v = v->next)
		if (is_one_of(l, classes, v->text, v->at, DIAG_SETTING_VALUE,
			      "class of tools or commands"))
			say_map(l, t, IR_P_RUNNER, str_cat(l->a, STR("route."), v->text),
				items, n);
}

/*
 * A section inside of a runner: its value is the list of its statements' texts; several
 * such sections add up.
 */
static void runner_section(struct lower *l, const struct sema_stmt *t,
			   const struct ast_stmt *section)
{
	struct str key = str_printf(l->a, "%.*s.%s", STR_ARG(t->stmt->name),
				    sema_section_name(section->section));
	struct claim *x = lower_setting(l, t, lower_spec(IR_P_RUNNER, STR("")), key,
					section->at);
	struct ir_value *list = &((struct ir_setting *)x->value)->value;
	size_t n = 2;

	x->append = true;
	x->locked |= section->locked && t->unit->level <= IR_MANAGED_FILE;
	for (const struct ast_stmt *b = section->body; b; b = b->next)
		n++;
	*list = (struct ir_value){ .type = IR_V_LIST };
	list->items = arena_array(l->a, n, sizeof(*list->items));
	if (section->name.n) /* `network limited` */
		list->items[list->nitems++] =
			text_item("", str_cat(l->a, STR("mode "), section->name));
	for (const struct ast_stmt *b = section->body; b; b = b->next)
		list->items[list->nitems++] = text_item("", sema_text(l->s, b));
	claim_add(l, x);
}

static void runner(struct lower *l, const struct sema_stmt *t)
{
	const char *prefix = arena_printf(l->a, "%.*s.", STR_ARG(t->stmt->name));

	if (!is_one_of(l, runner_words, t->stmt->name, t->stmt->name_at,
		       DIAG_SETTING_VALUE, "runner"))
		return;
	for (const struct ast_stmt *b = t->stmt->body; b; b = b->next) {
		if (b->kind == AST_SECTION)
			runner_section(l, t, b);
		else
			pair(l, t, IR_P_RUNNER, prefix, b);
	}
}

/* --- session, alerts ------------------------------------------------------------ */

static bool duration(struct lower *l, const struct ast_value *v, uint64_t *ret)
{
	struct diag *d;

	if (lower_number(IR_T_DURATION, v->text, ret) && *ret > 0 && *ret <= INT64_MAX)
		return true;
	d = diag_add(l->sink, DIAG_SETTING_VALUE, v->at, "'%.*s' is no span of time",
		     STR_ARG(v->text));
	diag_help(l->sink, d, "%s", lower_number_help(IR_T_DURATION));
	return false;
}

static void rate(struct lower *l, const struct sema_stmt *t)
{
	const struct ast_value *v = t->stmt->values;
	struct ir_value items[2];
	uint64_t count, per;

	if (!num_u64(v->text, &count) || count > INT64_MAX) {
		diag_add(l->sink, DIAG_SETTING_VALUE, v->at,
			 "a rate counts in whole numbers, not '%.*s'", STR_ARG(v->text));
		return;
	}
	if (!duration(l, t->stmt->per, &per))
		return;
	items[0] = number_item(l, "count", count);
	items[1] = number_item(l, "per", per);
	say_map(l, t, IR_P_SESSION, str_cat(l->a, STR("rate."), t->stmt->name), items, 2);
}

/* What an alert may watch: counts in a span of time, and one share between 0 and 1. */
static const char metrics[] =
	"created|destroyed|denied|asked|connections|limits|utilization";
static const char actions[] = "notify|block|compact";

static const char *compare_word(enum ast_expr_op op)
{
	switch ((int)op) {
	case AST_X_GT:
		return ">";
	case AST_X_GE:
		return ">=";
	default:
		return NULL;
	}
}

static bool alert_condition(struct lower *l, const struct ast_stmt *stmt,
			    struct ir_value items[5], size_t *n)
{
	const struct ast_expr *x = stmt->expr, *a = x->kids;
	const char *word = compare_word(x->op);
	bool share = word && a->op == AST_X_NAME && str_eqz(a->text, "utilization");
	struct diag *d;
	uint64_t num;

	if (!word || a->op != AST_X_NAME || a->next->op != AST_X_NUMBER) {
		d = diag_add(l->sink, DIAG_ALERT, x->at,
			     "an alert compares one count with a number");
		diag_help(l->sink, d, "write 'denied > 5 per 1m' or "
			  "'utilization >= 0.95'");
		return false;
	}
	if (!is_one_of(l, metrics, a->text, a->at, DIAG_ALERT, "count of a run"))
		return false;
	if (share ? !num_milli(a->next->text, &num) || num > 1000 || stmt->per :
		    !num_u64(a->next->text, &num) || num > INT64_MAX || !stmt->per) {
		d = diag_add(l->sink, DIAG_ALERT, x->at,
			     share ? "'utilization' is a number from 0 to 1, without 'per'" :
				     "'%.*s' is a whole number in a span of time",
			     STR_ARG(a->text));
		diag_help(l->sink, d, share ? "write 'utilization >= 0.95'" :
					      "write '%.*s > 5 per 1m'", STR_ARG(a->text));
		return false;
	}
	items[(*n)++] = text_item("compare", str_from(word));
	items[(*n)++] = text_item("metric", a->text);
	if (!share) {
		uint64_t per;

		if (!duration(l, stmt->per, &per))
			return false;
		items[(*n)++] = number_item(l, "per", per);
		items[(*n)++] = number_item(l, "value", num);
		return true;
	}
	items[(*n)++] = (struct ir_value){ .type = IR_V_NUMBER, .text = a->next->text,
					   .key = STR("value") };
	return true;
}

static void alert(struct lower *l, const struct sema_stmt *t)
{
	const struct ast_value *action = t->stmt->values;
	struct ir_value items[5];
	size_t n = 1;

	if (!is_one_of(l, actions, action->text, action->at, DIAG_ALERT,
		       "action of an alert"))
		return;
	items[0] = text_item("action", action->text);
	if (alert_condition(l, t->stmt, items, &n))
		say_map(l, t, IR_P_ALERT, t->stmt->name, items, n);
}

/* --- tools, the whole ----------------------------------------------------------- */

static void tool(struct lower *l, const struct sema_stmt *t)
{
	/*
	 * a tool's name may have dots, so its key has them too; its rows in
	 * settings.def match the last word of the key
	 */
	for (const struct ast_stmt *b = t->stmt->body; b; b = b->next) {
		struct str key = str_printf(l->a, "%.*s.%.*s", STR_ARG(t->stmt->name),
					    STR_ARG(b->name));
		const struct lower_spec *spec =
			memchr(b->name.p, '.', b->name.n) ? NULL :
							    lower_spec(IR_P_TOOL, key);

		if (spec)
			lower_say(l, t, spec, key, b, b->values);
		else
			lower_no_key(l, IR_P_TOOL, "*.", b->name, b->name_at);
	}
}

/* A statement that gives one key its value: `mode WORD`. */
static void one_key(struct lower *l, const struct sema_stmt *t, enum ir_part part,
		    const char *key, const struct ast_value *v)
{
	lower_say(l, t, lower_spec(part, str_from(key)), str_from(key), t->stmt, v);
}

void lower_carried(struct lower *l, const struct sema_stmt *t)
{
	enum ast_section_kind section = t->in_section ? t->section : AST_SEC_COUNT;
	const struct ast_value word = { .kind = AST_V_NAME, .at = t->stmt->name_at,
					.text = t->stmt->name };

	switch ((int)t->stmt->kind) {
	case AST_SETTING:
		lower_read_setting(l, t);
		return;
	case AST_MODE:
		if (section == AST_SEC_RUNNER)
			one_key(l, t, IR_P_RUNNER, "mode", &word);
		return;
	case AST_ROUTE:
		route(l, t);
		return;
	case AST_RUNNER:
		runner(l, t);
		return;
	case AST_RATE:
		rate(l, t);
		return;
	case AST_ALERT:
		alert(l, t);
		return;
	case AST_TOOL:
		tool(l, t);
		return;
	case AST_PAIR:
		if (section == AST_SEC_SESSION)
			pair(l, t, IR_P_SESSION, "", t->stmt);
		else if (section == AST_SEC_AUDIT)
			pair(l, t, IR_P_AUDIT, "", t->stmt);
		return;
	default:
		return;
	}
}
