/*
 * What this version carries for later ones: runner, session, audit, alerts,
 * keys of tools and `via`.  Every key and value is checked against
 * settings.def; what has a form of its own (rates, routes, alerts) is read
 * here.
 */
#include "compiler/lower/internal.h"

#include <inttypes.h>

#include "compiler/ast/build.h"

static const char runner_words[] = "native|container|devcontainer|cloud";

static void pair(struct lower *l, const struct sema_stmt *t, enum ir_part part,
		 const char *prefix, const struct ast_stmt *p, struct lower_says *says)
{
	struct str key = str_printf(l->a, "%s%.*s", prefix, STR_ARG(p->name));
	const struct lower_spec *spec = lower_spec(part, key);
	struct lower_say *s;
	struct ast_value one;

	if (!spec || strchr(spec->key + strlen(prefix), '*')) {
		lower_no_key(l, part, prefix, p->name, p->name_at);
		return;
	}
	if (!p->values)
		return; /* reported when it was resolved */
	one = *p->values;
	if (p->append && spec->type != LOWER_T_NAMES && spec->type != LOWER_T_REGEXES) {
		diag_add(l->sink, DIAG_SETTING_VALUE, p->at,
			 "'+=' adds to a list, and '%.*s' is none", STR_ARG(key));
		return;
	}
	if (p->append && one.kind != AST_V_LIST) {
		one.items = arena_dup(l->a, p->values, sizeof(one));
		one.items->next = NULL;
		one.kind = AST_V_LIST;
	}
	s = lower_say(l, says, t, spec, key, p->at);
	s->append = p->append;
	s->value.locked |= p->locked && t->unit->level <= IR_MANAGED_FILE;
	if (!lower_value(l, spec, key, &one, &s->value.value))
		says->v.n--;
}

static void wrong_word(struct lower *l, struct span at, enum diag_code code,
		       const char *what, struct str word, const char *words)
{
	const char *list[16], *near;
	struct diag *d = diag_add(l->sink, code, at, "'%.*s' is no %s", STR_ARG(word), what);
	size_t n = 0;

	for (const char *w = words; *w && n < POL_LEN(list);) {
		size_t len = strcspn(w, "|");

		list[n++] = str_z(l->a, (struct str){ w, len });
		w += len + (w[len] == '|');
	}
	near = diag_suggest(word, list, n);
	if (near)
		diag_help(l->sink, d, "did you mean '%s'?", near);
	else
		diag_help(l->sink, d, "it is one of %s", words);
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

/* A map of up to five items; keys are given in order. */
static struct ir_value map_of(struct lower *l, const struct ir_value *items, size_t n)
{
	return (struct ir_value){ .type = IR_V_MAP,
				  .items = arena_dup(l->a, items, n * sizeof(*items)),
				  .nitems = n };
}

/* A say whose value is a map that is made here. */
static void say_map(struct lower *l, struct lower_says *says, const struct sema_stmt *t,
		    enum ir_part part, struct str key, const struct ir_value *items,
		    size_t n)
{
	const struct lower_spec *spec = lower_spec(part, key);
	struct lower_say *s = lower_say(l, says, t, spec, key, t->stmt->at);

	s->value.value = map_of(l, items, n);
}

/* --- runner ------------------------------------------------------------------- */

static void mode(struct lower *l, const struct sema_stmt *t, struct lower_says *says)
{
	const struct ast_value v = { .kind = AST_V_NAME,
				     .at = t->stmt->name_at,
				     .text = t->stmt->name };
	const struct lower_spec *spec = lower_spec(IR_P_RUNNER, STR("mode"));
	struct lower_say *s = lower_say(l, says, t, spec, STR("mode"), t->stmt->at);

	if (!lower_value(l, spec, STR("mode"), &v, &s->value.value))
		says->v.n--;
}

static void route(struct lower *l, const struct sema_stmt *t, struct lower_says *says)
{
	static const char classes[] =
		"read-only|writes-workspace|writes-fs|network|exec|low|medium|high|critical";
	struct str runner = t->stmt->name;
	struct ir_value items[2];
	size_t n = 0;

	if (lower_word(runner_words, runner) < 0) {
		wrong_word(l, t->stmt->name_at, DIAG_SETTING_VALUE, "runner", runner,
			   runner_words);
		return;
	}
	if (t->stmt->has_else)
		items[n++] = text_item("else",
				       str_from(ast_effect_name(t->stmt->effect)));
	items[n++] = text_item("runner", runner);
	for (const struct ast_value *v = t->stmt->values; v; v = v->next) {
		if (lower_word(classes, v->text) < 0)
			wrong_word(l, v->at, DIAG_SETTING_VALUE,
				   "class of tools or commands", v->text, classes);
		else
			say_map(l, says, t, IR_P_RUNNER,
				str_cat(l->a, STR("route."), v->text), items, n);
	}
}

/* A section inside of a runner: its statements as texts, added up. */
static void runner_section(struct lower *l, const struct sema_stmt *t,
			   const struct ast_stmt *section, struct lower_says *says)
{
	static const struct lower_spec spec = {
		IR_P_RUNNER, "", LOWER_T_LIST, LOWER_O_NONE, false, ""
	};
	struct str key = str_printf(l->a, "%.*s.%s", STR_ARG(t->stmt->name),
				    sema_section_name(section->section));
	struct lower_say *s = lower_say(l, says, t, &spec, key, section->at);
	struct ir_value *list = &s->value.value;
	size_t n = 2;

	s->append = true;
	s->value.locked |= section->locked && t->unit->level <= IR_MANAGED_FILE;
	for (const struct ast_stmt *b = section->body; b; b = b->next)
		n++;
	*list = (struct ir_value){ .type = IR_V_LIST };
	list->items = arena_array(l->a, n, sizeof(*list->items));
	if (section->name.n) /* `network limited` */
		list->items[list->nitems++] = (struct ir_value){
			.type = IR_V_TEXT,
			.text = str_cat(l->a, STR("mode "), section->name)
		};
	for (const struct ast_stmt *b = section->body; b; b = b->next)
		list->items[list->nitems++] = (struct ir_value){
			.type = IR_V_TEXT, .text = sema_text(l->s, b)
		};
}

static void runner(struct lower *l, const struct sema_stmt *t, struct lower_says *says)
{
	const char *prefix = arena_printf(l->a, "%.*s.", STR_ARG(t->stmt->name));

	if (lower_word(runner_words, t->stmt->name) < 0) {
		wrong_word(l, t->stmt->name_at, DIAG_SETTING_VALUE, "runner",
			   t->stmt->name, runner_words);
		return;
	}
	for (const struct ast_stmt *b = t->stmt->body; b; b = b->next) {
		if (b->kind == AST_SECTION)
			runner_section(l, t, b, says);
		else
			pair(l, t, IR_P_RUNNER, prefix, b, says);
	}
}

/* --- session, alerts ------------------------------------------------------------ */

static bool duration(struct lower *l, const struct ast_value *v, uint64_t *ret)
{
	struct diag *d;

	if (num_duration(v->text, ret) && *ret > 0 && *ret <= INT64_MAX)
		return true;
	d = diag_add(l->sink, DIAG_SETTING_VALUE, v->at, "'%.*s' is no span of time",
		     STR_ARG(v->text));
	diag_help(l->sink, d, "a duration has a unit: ms, s, m, h or d");
	return false;
}

static void rate(struct lower *l, const struct sema_stmt *t, struct lower_says *says)
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
	say_map(l, says, t, IR_P_SESSION, str_cat(l->a, STR("rate."), t->stmt->name), items,
		2);
}

/* What an alert may watch: counts in a span of time, and one share of 1. */
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
	if (lower_word(metrics, a->text) < 0) {
		wrong_word(l, a->at, DIAG_ALERT, "count of a run", a->text, metrics);
		return false;
	}
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

static void alert(struct lower *l, const struct sema_stmt *t, struct lower_says *says)
{
	const struct ast_value *action = t->stmt->values;
	struct ir_value items[5];
	size_t n = 1;

	if (lower_word(actions, action->text) < 0) {
		wrong_word(l, action->at, DIAG_ALERT, "action of an alert", action->text,
			   actions);
		return;
	}
	items[0] = text_item("action", action->text);
	if (alert_condition(l, t->stmt, items, &n))
		say_map(l, says, t, IR_P_ALERT, t->stmt->name, items, n);
}

/* --- tools, via ------------------------------------------------------------------ */

static void tool(struct lower *l, const struct sema_stmt *t, struct lower_says *says)
{
	/* a dotted name has its dots in the key; its rows end in one word */
	for (const struct ast_stmt *b = t->stmt->body; b; b = b->next) {
		struct str key = str_printf(l->a, "%.*s.%.*s", STR_ARG(t->stmt->name),
					    STR_ARG(b->name));
		const struct lower_spec *spec =
			memchr(b->name.p, '.', b->name.n) ? NULL :
							    lower_spec(IR_P_TOOL, key);
		struct lower_say *s;

		if (!spec) {
			lower_no_key(l, IR_P_TOOL, "*.", b->name, b->name_at);
			continue;
		}
		if (!b->values)
			continue; /* reported when it was resolved */
		s = lower_say(l, says, t, spec, key, b->at);
		if (!lower_value(l, spec, key, b->values, &s->value.value))
			says->v.n--;
	}
}

static void via(struct lower *l, const struct sema_stmt *t, struct lower_says *says)
{
	const struct lower_spec *spec = lower_spec(IR_P_NETWORK, STR("via"));
	const struct ast_value *v = t->stmt->values;
	struct lower_say *s;
	struct diag *d;

	if (!v)
		return; /* reported when it was resolved */
	s = lower_say(l, says, t, spec, STR("via"), t->stmt->at);
	if (!lower_value(l, spec, STR("via"), v, &s->value.value)) {
		says->v.n--;
	} else if (!str_starts(s->value.value.text, STR("http://")) &&
		   !str_starts(s->value.value.text, STR("https://")) &&
		   !str_starts(s->value.value.text, STR("socks5://"))) {
		says->v.n--;
		d = diag_add(l->sink, DIAG_SETTING_VALUE, v->at,
			     "'%.*s' is no proxy", STR_ARG(v->text));
		diag_help(l->sink, d, "write http://HOST:PORT, https://HOST:PORT or "
			  "socks5://HOST:PORT");
	}
}

void lower_carried(struct lower *l, const struct sema_stmt *t, struct lower_says *says)
{
	bool in_runner = t->in_section && t->section == AST_SEC_RUNNER;

	switch ((int)t->stmt->kind) {
	case AST_MODE:
		if (in_runner)
			mode(l, t, says);
		return;
	case AST_ROUTE:
		route(l, t, says);
		return;
	case AST_RUNNER:
		runner(l, t, says);
		return;
	case AST_RATE:
		rate(l, t, says);
		return;
	case AST_ALERT:
		alert(l, t, says);
		return;
	case AST_TOOL:
		tool(l, t, says);
		return;
	case AST_VIA:
		via(l, t, says);
		return;
	case AST_PAIR:
		if (t->in_section && t->section == AST_SEC_SESSION)
			pair(l, t, IR_P_SESSION, "", t->stmt, says);
		else if (t->in_section && t->section == AST_SEC_AUDIT)
			pair(l, t, IR_P_AUDIT, "", t->stmt, says);
		return;
	default:
		return;
	}
}
