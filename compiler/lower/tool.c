/*
 * Lowers tools (semantics 1, 4.5): patterns for the name of a tool, and the class that
 * `tool NAME { risk … }` gives it.  A name is one word: '*' matches any of its bytes,
 * '{a|b}' one of two.
 */
#include "compiler/lower/dialect.h"
#include "compiler/lower/glob.h"

static bool tool_pattern(struct lower *l, const struct ast_value *v, struct ir_set *ret)
{
	struct lower_glob_in in = { .l = l,
				    .text = v->text,
				    .shown = v->text,
				    .at = v->at,
				    .code = DIAG_COMMAND_PATTERN,
				    .separator = '|',
				    .path = false,
				    .depth = 0 };
	struct diag *d;

	*ret = (struct ir_set){ 0 };
	ret->u.tool.text = v->text;
	if (v->kind == AST_V_STRING && sema_has_root(v->text)) {
		diag_add(l->sink, DIAG_ROOT_PLACE, v->at,
			 "a root has no value in the name of a tool: '%.*s'",
			 STR_ARG(v->text));
		return false;
	}
	if (v->kind != AST_V_STRING && v->kind != AST_V_RAW && v->kind != AST_V_NAME) {
		diag_add(l->sink, DIAG_KIND_OF_VALUE, v->at,
			 "a tool is a name, or a pattern in double quotes");
		return false;
	}
	if (!v->text.n) {
		diag_add(l->sink, DIAG_COMMAND_PATTERN, v->at, "a tool without a name");
		return false;
	}
	if (v->kind == AST_V_STRING)
		in.text = sema_plain(l->a, v->text);
	if (!lower_glob(&in, &ret->u.tool.glob))
		return false;
	if (in.i == in.text.n)
		return true;
	d = diag_add(l->sink, DIAG_COMMAND_PATTERN, v->at,
		     "a blank in the name of a tool: '%.*s'", STR_ARG(v->text));
	diag_help(l->sink, d, "write it as '\\\\ '");
	return false;
}

static bool read_except(struct lower *l, const struct ast_value *v, enum lower_side side,
			struct lower_sets *into)
{
	struct ir_set set;

	(void)side; /* the evaluator decides how '*' matches */
	if (!tool_pattern(l, v, &set))
		return false;
	VEC_PUSH(l->a, &into->v, set);
	return true;
}

void lower_tool(struct lower *l, const struct sema_stmt *t)
{
	struct ir_rule h;
	bool ok = lower_head(l, t, IR_TOOL, &h);

	ok &= lower_except(l, t->stmt, lower_side_of(t->stmt->effect), read_except,
			   &h.except, &h.nexcept);
	for (const struct ast_value *v = t->stmt->values; v; v = v->next) {
		struct ir_set set;

		if (!tool_pattern(l, v, &set))
			continue;
		lower_warn_tool_dialect(l, v);
		if (ok)
			lower_add(l, &h, &set);
	}
}

/* What a tool does, and the risk class that decides its default. */
static const struct {
	const char *word;
	enum ir_risk risk;
} classes[] = {
	{ "read-only", IR_RISK_LOW },  { "writes-workspace", IR_RISK_MEDIUM },
	{ "writes-fs", IR_RISK_HIGH }, { "network", IR_RISK_HIGH },
	{ "exec", IR_RISK_CRITICAL },
};

/* The set with exactly this name, byte by byte. */
static struct ir_set name_set(struct lower *l, struct str name)
{
	struct ir_set set = { 0 };
	struct ir_glob *g = &set.u.tool.glob;

	g->n = name.n;
	g->v = arena_array(l->a, name.n, sizeof(*g->v));
	for (size_t i = 0; i < name.n; i++)
		g->v[i] = (struct ir_glob_item){ .op = IR_G_BYTE,
						 .byte = (uint8_t)name.p[i] };
	set.u.tool.text = name;
	return set;
}

void lower_tool_facts(struct lower *l, const struct sema_stmt *t)
{
	struct ir_risk_fact f = {
		.kind = IR_TOOL, .level = t->unit->level, .id = t->id, .at = t->at
	};

	if (!t->stmt->name.n || memchr(t->stmt->name.p, 0, t->stmt->name.n)) {
		diag_add(l->sink, DIAG_VALUE, t->stmt->name_at,
			 "the name of a tool is a text without NUL");
		return;
	}
	f.set = name_set(l, t->stmt->name);
	for (const struct ast_stmt *p = t->stmt->body; p; p = p->next)
		for (size_t i = 0; i < POL_LEN(classes); i++)
			if (p->kind == AST_PAIR && str_eqz(p->name, "risk") &&
			    p->values && str_eqz(p->values->text, classes[i].word)) {
				f.risk = classes[i].risk;
				VEC_PUSH(l->a, &l->made.risks, f);
			}
}
