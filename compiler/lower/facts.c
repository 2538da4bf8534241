/*
 * Lowers facts (semantics 4.2): risk classes, variables and inert patterns.  program.c
 * reads the tables of programs.
 */
#include "compiler/lower/command.h"
#include "compiler/lower/program.h"

static const char *const words[] = {
	[AST_PROGRAM] = "program", [AST_WRAPPER] = "wrapper",
	[AST_INTERPRETER] = "interpreter", [AST_TAINT] = "taint",
	[AST_SAFE] = "safe", [AST_INERT] = "inert",
};

/* Reads the patterns of a fact with their guards, and its exceptions. */
static bool read_patterns(struct lower *l, const struct ast_stmt *stmt,
			  enum lower_side side, struct lower_sets *ret,
			  struct ir_set **ret_except, size_t *ret_nexcept)
{
	struct lower_guards guards;
	bool ok = lower_command_except(l, stmt, side, ret_except, ret_nexcept);

	ok &= lower_guards(l, stmt, side, &guards);
	for (const struct ast_value *v = stmt->values; v; v = v->next)
		ok &= lower_command_pattern(l, v, side, &guards, ret);
	return ok;
}

static void lower_inert(struct lower *l, const struct sema_stmt *t)
{
	struct ir_inert f = { .level = t->unit->level, .at = t->at };
	struct lower_sets sets = { .v = { NULL, 0, 0 } };

	if (!read_patterns(l, t->stmt, LOWER_NARROW, &sets, &f.except, &f.nexcept))
		return;
	for (size_t i = 0; i < sets.v.n; i++) {
		f.set = sets.v.v[i];
		VEC_PUSH(l->a, &l->made.inert, f);
	}
}

static void lower_variables(struct lower *l, const struct sema_stmt *t)
{
	struct ir_var var = { .taint = t->stmt->kind == AST_TAINT,
			      .level = t->unit->level,
			      .at = t->at };

	for (const struct ast_value *v = t->stmt->values; v; v = v->next) {
		var.name = v->text;
		if (lower_is_variable(v->text, true))
			VEC_PUSH(l->a, &l->made.vars, var);
		else
			diag_add(l->sink, DIAG_VALUE, v->at,
				 "'%.*s' is no name of a variable", STR_ARG(v->text));
	}
}

static void risk(struct lower *l, const struct sema_stmt *t)
{
	struct ir_risk_fact f = {
		.kind = IR_COMMAND, .level = t->unit->level, .id = t->id, .at = t->at
	};
	struct lower_sets sets = { .v = { NULL, 0, 0 } };
	enum lower_side side;

	if (!lower_risk(t->stmt->name, &f.risk)) {
		struct diag *d = diag_add(l->sink, DIAG_VALUE, t->stmt->name_at,
					  "'%.*s' is no class of risk",
					  STR_ARG(t->stmt->name));
		diag_help(l->sink, d, "classes are low, medium, high and critical");
		return;
	}
	side = f.risk == IR_RISK_LOW ? LOWER_NARROW : LOWER_BROAD;
	if (!read_patterns(l, t->stmt, side, &sets, &f.except, &f.nexcept))
		return;
	for (size_t i = 0; i < sets.v.n; i++) {
		f.set = sets.v.v[i];
		VEC_PUSH(l->a, &l->made.risks, f);
	}
}

void lower_facts(struct lower *l, const struct sema_stmt *t)
{
	struct ir_fact f = { .level = t->unit->level, .text = t->text, .at = t->at };

	if (t->stmt->kind == AST_RISK) {
		risk(l, t);
		return;
	}
	if (t->stmt->kind == AST_INERT)
		lower_inert(l, t);
	else if (t->stmt->kind == AST_TAINT || t->stmt->kind == AST_SAFE)
		lower_variables(l, t);
	else
		lower_program(l, t);
	f.kind = str_from(words[t->stmt->kind]);
	VEC_PUSH(l->a, &l->made.facts, f);
}
