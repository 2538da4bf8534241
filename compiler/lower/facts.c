/*
 * Facts (semantics 4.2): risk classes, what programs look like, variables and
 * inert patterns.  Their forms are checked here; tables are read in program.c.
 */
#include "compiler/lower/command.h"
#include "compiler/lower/program.h"

static const char *const words[] = {
	[AST_PROGRAM] = "program", [AST_WRAPPER] = "wrapper",
	[AST_INTERPRETER] = "interpreter", [AST_TAINT] = "taint",
	[AST_SAFE] = "safe", [AST_INERT] = "inert",
};

/* In which of program, wrapper, interpreter a line of a table may stand. */
enum { P = 1, W = 2, I = 4 };

static const struct {
	enum ast_prog_kind kind;
	const char *word;
	unsigned where;
} lines[] = {
	{ AST_P_GLOBAL, "global", P | I },     { AST_P_OPTIONS, "options", P | W | I },
	{ AST_P_SKIP, "skip", W },             { AST_P_CODE, "code", P | W | I },
	{ AST_P_CODE_OPERAND, "code operand", P | W | I },
	{ AST_P_CODE_STDIN, "code stdin", P | W | I },
	{ AST_P_QUERY, "query", P | W | I },   { AST_P_MOVES, "moves", P | W | I },
	{ AST_P_RUNS, "runs", W },             { AST_P_LEADS, "leads", W },
	{ AST_P_READS, "reads", P | W | I },
	{ AST_P_READS_OPERAND, "reads operand", P | W | I },
	{ AST_P_WRITES, "writes", P | W | I },
	{ AST_P_WRITES_OPERAND, "writes operand", P | W | I },
	{ AST_P_SCRIPT, "script-file", P | W | I },
	{ AST_P_SCRIPT_OPERAND, "script-file operand", P | W | I },
	{ AST_P_SCRIPT_DEFAULT, "script-file default", P | W | I },
	{ AST_P_TREES, "recursive", P | W | I },
	{ AST_P_TREES_OPERAND, "recursive operand", P | W | I },
	{ AST_P_INSTEAD, "instead", P | W | I },
	{ AST_P_EDITS, "edits", P | W | I },
	{ AST_P_AFTER, "after", W },
	{ AST_P_ENDS_AT, "ends-at", W },       { AST_P_ALSO, "also", P | W | I },
	{ AST_P_SHELL, "shell", I },
};

static const struct {
	const char *word;
	unsigned where;
	enum ir_program_flag flag;
} flags[] = {
	{ "transparent", W, IR_PF_TRANSPARENT },
	{ "abbreviate", P | W | I, IR_PF_ABBREVIATE },
	{ "no-cluster", P | W | I, IR_PF_NO_CLUSTER },
	{ "posix", P | W | I, IR_PF_POSIX },
	{ "assignments", W, IR_PF_ASSIGNMENTS },
	{ "joined", W, IR_PF_JOINED },
	{ "appends", W, IR_PF_APPENDS },
	{ "dashed", P | W | I, IR_PF_DASHED },
	{ "versions", W, IR_PF_VERSIONS },
	{ "abbreviate-commands", P | W | I, IR_PF_ABBREVIATE_COMMANDS },
	{ "stays", W, IR_PF_STAYS },
	{ "elsewhere", W, IR_PF_ELSEWHERE },
	{ "no-end", P | W | I, IR_PF_NO_END },
	{ "booleans", P | W | I, IR_PF_BOOLEANS },
	{ "one-dash", P | W | I, IR_PF_ONE_DASH },
	{ "away", W, IR_PF_AWAY },
	{ "whole-trees", P | W | I, IR_PF_WHOLE_TREES },
	{ "makes-nothing", P | W | I, IR_PF_MAKES_NOTHING },
	{ "writes-unnamed", P | W | I, IR_PF_WRITES_UNNAMED },
};

unsigned lower_program_flag(struct str word)
{
	for (size_t i = 0; i < POL_LEN(flags); i++)
		if (str_eqz(word, flags[i].word))
			return flags[i].flag;
	return 0;
}

static void misplaced(struct lower *l, const struct ast_prog_item *item,
		      const char *word, const char *table)
{
	diag_add(l->sink, DIAG_OPTION, item->at, "'%s' does not belong to '%s'", word,
		 table);
}

static void check_flag(struct lower *l, const struct ast_prog_item *item,
		       unsigned table, const char *table_word)
{
	const char *names[POL_LEN(flags)];
	struct str text = item->values ? item->values->text : STR("");
	struct diag *d;

	for (size_t i = 0; i < POL_LEN(flags); i++) {
		names[i] = flags[i].word;
		if (!str_eqz(text, flags[i].word))
			continue;
		if (!(flags[i].where & table))
			misplaced(l, item, flags[i].word, table_word);
		return;
	}
	d = diag_add(l->sink, DIAG_UNKNOWN_KEY, item->at, "'%s' has no key '%.*s'",
		     table_word, STR_ARG(text));
	diag_did_you_mean(l->sink, d, text, names, POL_LEN(names));
}

/* `skip N` and `code operand N`: how many, from 1 on; `code operand any`. */
static void check_number(struct lower *l, const struct ast_prog_item *item)
{
	struct str text = item->values ? item->values->text : STR("");
	uint64_t n;

	if (item->kind == AST_P_CODE_OPERAND && item->values &&
	    item->values->kind == AST_V_NAME)
		return;
	if (!num_u64(text, &n) || n < 1 || n > 255)
		diag_add(l->sink, DIAG_VALUE, item->at,
			 "operands are counted by a whole number from 1 to 255, not "
			 "'%.*s'",
			 STR_ARG(text));
}

/* `reads operand N` and its kind: N, any, last, rest, from-N. */
static void check_operands(struct lower *l, const struct ast_prog_item *item)
{
	struct str text = item->values ? item->values->text : STR("");
	uint32_t n;

	if (!lower_operands(item->values, &n))
		diag_add(l->sink, DIAG_VALUE, item->at,
			 "operands are a whole number from 1 to 255, 'any', 'last', 'rest' or "
			 "'from-2', not '%.*s'",
			 STR_ARG(text));
}

/* What stands in the table twice where the second would replace the first. */
static void check_once(struct lower *l, const struct ast_prog_item *items,
		       const struct ast_prog_item *item)
{
	for (const struct ast_prog_item *i = items; i != item; i = i->next)
		if (i->kind == AST_P_SKIP && item->kind == AST_P_SKIP) {
			struct diag *d = diag_add(l->sink, DIAG_OPTION, item->at,
						  "'skip' is stated twice");
			diag_note(l->sink, d, i->at, "the first one is here");
			return;
		}
}

/* No blank, control byte, quote or dollar sign, and nothing of `without`. */
static bool is_plain_name(struct str s, const char *without)
{
	for (size_t i = 0; i < s.n; i++)
		if ((unsigned char)s.p[i] <= ' ' || s.p[i] == 0x7f ||
		    strchr("\"'\\$`", s.p[i]) || strchr(without, s.p[i]))
			return false;
	return s.n > 0;
}

/* A table is of a program, or of one of its subcommands: "git rebase". */
static void check_table_name(struct lower *l, const struct ast_stmt *stmt,
			     const struct ast_value *name)
{
	const struct ast_prog_item *i = stmt->items;
	size_t from = 0, count = 0;

	for (size_t k = 0; k <= name->text.n; k++) {
		if (k < name->text.n && name->text.p[k] != ' ')
			continue;
		if (!lower_program_name(l, str_sub(name->text, from, k - from), name->at))
			return;
		from = k + 1;
		count++;
	}
	if (count > 1 && name->text.n > IR_MAX_SUBCOMMAND)
		diag_add(l->sink, DIAG_VALUE, name->at,
			 "the name of a subcommand is longer than %d bytes", IR_MAX_SUBCOMMAND);
	while (i && (i->kind != AST_P_ALSO || count > 1))
		i = i->next;
	if (i)
		diag_add(l->sink, DIAG_OPTION, i->at,
			 "'also' belongs to a subcommand, and '%.*s' is a program",
			 STR_ARG(name->text));
}

static void check_table(struct lower *l, const struct ast_stmt *stmt)
{
	unsigned table = stmt->kind == AST_PROGRAM ? P :
			 stmt->kind == AST_WRAPPER ? W : I;
	const char *word = words[stmt->kind];

	for (const struct ast_prog_item *i = stmt->items; i; i = i->next) {
		if (i->kind == AST_P_FLAG) {
			check_flag(l, i, table, word);
			continue;
		}
		if (i->kind == AST_P_SKIP || i->kind == AST_P_CODE_OPERAND)
			check_number(l, i);
		if (lower_place_of(i->kind, NULL))
			check_operands(l, i);
		check_once(l, stmt->items, i);
		for (size_t k = 0; k < POL_LEN(lines); k++)
			if (lines[k].kind == i->kind && !(lines[k].where & table))
				misplaced(l, i, lines[k].word, word);
	}
	for (const struct ast_value *v = stmt->values; v; v = v->next)
		check_table_name(l, stmt, v);
}

bool lower_program_name(struct lower *l, struct str name, struct span at)
{
	if (is_plain_name(name, "/*?"))
		return true;
	diag_add(l->sink, DIAG_VALUE, at,
		 "'%.*s' is no name of a program: a name has no '/', no blank and no "
		 "wildcard",
		 STR_ARG(name));
	return false;
}

/* The patterns of a fact with their guards, and its exceptions. */
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
	else {
		check_table(l, t->stmt);
		lower_program(l, t);
	}
	f.kind = str_from(words[t->stmt->kind]);
	VEC_PUSH(l->a, &l->made.facts, f);
}
