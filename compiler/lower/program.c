/*
 * Lowers tables of programs (semantics 4.2): one ir_program for each name of a
 * statement.  Each statement is read by itself; facts_merge.c joins what the levels say
 * about one name.
 */
#include "compiler/lower/program.h"

#include "compiler/lower/regex.h"

/* --- form ------------------------------------------------------------------------ */

/* Is it a line with operands that name files (`reads operand 2`)?  ret may be NULL. */
static bool place_of(enum ast_prog_kind kind, enum line_place_kind *ret)
{
	static const struct {
		enum ast_prog_kind kind;
		enum line_place_kind is;
	} kinds[] = {
		{ AST_P_READS_OPERAND, LINE_PLACE_READS }, { AST_P_WRITES_OPERAND, LINE_PLACE_WRITES },
		{ AST_P_SCRIPT_OPERAND, LINE_PLACE_SCRIPT }, { AST_P_TREES_OPERAND, LINE_PLACE_TREES },
		{ AST_P_BEGINS_OPERAND, LINE_PLACE_BEGINS }, { AST_P_BELOW_OPERAND, LINE_PLACE_BELOW },
		{ AST_P_UNPACKS_OPERAND, LINE_PLACE_UNPACKS },
		{ AST_P_NAMES_FROM_OPERAND, LINE_PLACE_NAMES },
	};

	for (size_t i = 0; i < POL_LEN(kinds); i++)
		if (kinds[i].kind == kind) {
			if (ret)
				*ret = kinds[i].is;
			return true;
		}
	return false;
}

/* Finds the operands that it names (ir_code_place.operand); false: none. */
static bool operands(const struct ast_value *v, uint32_t *ret)
{
	struct str text = v ? v->text : STR(""), from = STR("from-");
	uint64_t n = 0;
	bool is_operand = str_starts(text, from);

	if (v && v->kind == AST_V_NAME && !is_operand) {
		*ret = str_eqz(text, "any") ? LINE_ANY_OPERAND :
		       str_eqz(text, "last") ? LINE_LAST_OPERAND : LINE_REST_OPERAND;
		return str_eqz(text, "any") || str_eqz(text, "last") || str_eqz(text, "rest");
	}
	if (is_operand)
		text = str_sub(text, from.n, text.n - from.n);
	if (!num_u64(text, &n) || n < 1 || n > 255)
		return false;
	*ret = (uint32_t)n + (is_operand ? LINE_FROM_OPERAND : 0);
	return true;
}

/* Whether a line may stand in a table of program, wrapper or interpreter. */
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
	{ AST_P_RUNS, "runs", W },             { AST_P_LEADS, "leads", W | I },
	{ AST_P_READS, "reads", P | W | I },
	{ AST_P_READS_OPERAND, "reads operand", P | W | I },
	{ AST_P_WRITES, "writes", P | W | I },
	{ AST_P_WRITES_OPERAND, "writes operand", P | W | I },
	{ AST_P_SCRIPT, "script-file", P | W | I },
	{ AST_P_SCRIPT_OPERAND, "script-file operand", P | W | I },
	{ AST_P_SCRIPT_DEFAULT, "script-file default", P | W | I },
	{ AST_P_TREES, "recursive", P | W | I },
	{ AST_P_TREES_OPERAND, "recursive operand", P | W | I },
	{ AST_P_BEGINS, "begins-names", P | W | I },
	{ AST_P_BEGINS_OPERAND, "begins-names operand", P | W | I },
	{ AST_P_BELOW, "writes-below", P | W | I },
	{ AST_P_BELOW_OPERAND, "writes-below operand", P | W | I },
	{ AST_P_UNPACKS, "unpacks", P | W | I },
	{ AST_P_UNPACKS_OPERAND, "unpacks operand", P | W | I },
	{ AST_P_NAMES_FROM, "names-from", P | W | I },
	{ AST_P_NAMES_FROM_OPERAND, "names-from operand", P | W | I },
	{ AST_P_INSTEAD, "instead", P | W | I },
	{ AST_P_EDITS, "edits", P | W | I },
	{ AST_P_AFTER, "after", W },
	{ AST_P_ENDS_AT, "ends-at", W },       { AST_P_ALSO, "also", P | W | I },
	{ AST_P_SHELL, "shell", I },
};

static const struct {
	const char *word;
	unsigned where;
	enum line_program_flag flag;
} flags[] = {
	{ "transparent", W | I, LINE_PF_TRANSPARENT },
	{ "abbreviate", P | W | I, LINE_PF_ABBREVIATE },
	{ "no-cluster", P | W | I, LINE_PF_NO_CLUSTER },
	{ "posix", P | W | I, LINE_PF_POSIX },
	{ "assignments", W, LINE_PF_ASSIGNMENTS },
	{ "joined", W, LINE_PF_JOINED },
	{ "appends", W, LINE_PF_APPENDS },
	{ "dashed", P | W | I, LINE_PF_DASHED },
	{ "versions", W, LINE_PF_VERSIONS },
	{ "abbreviate-commands", P | W | I, LINE_PF_ABBREVIATE_COMMANDS },
	{ "stays", W, LINE_PF_STAYS },
	{ "elsewhere", W, LINE_PF_ELSEWHERE },
	{ "no-end", P | W | I, LINE_PF_NO_END },
	{ "booleans", P | W | I, LINE_PF_BOOLEANS },
	{ "one-dash", P | W | I, LINE_PF_ONE_DASH },
	{ "away", W, LINE_PF_AWAY },
	{ "whole-trees", P | W | I, LINE_PF_WHOLE_TREES },
	{ "makes-nothing", P | W | I, LINE_PF_MAKES_NOTHING },
	{ "writes-unnamed", P | W | I, LINE_PF_WRITES_UNNAMED },
	{ "sed-script", P, LINE_PF_SED_SCRIPT },
	{ "awk-script", P, LINE_PF_AWK_SCRIPT },
};

static unsigned flag_of(struct str word)
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

/*
 * Checks the number in `skip N` and `code operand N`, which counts from 1, or `code
 * operand any`.
 */
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

/* Checks the operands of `reads operand N` and the like: N, any, last, rest, from-N. */
static void check_operands(struct lower *l, const struct ast_prog_item *item)
{
	struct str text = item->values ? item->values->text : STR("");
	uint32_t n;

	if (!operands(item->values, &n))
		diag_add(l->sink, DIAG_VALUE, item->at,
			 "operands are a whole number from 1 to 255, 'any', 'last', 'rest' or "
			 "'from-2', not '%.*s'",
			 STR_ARG(text));
}

/* Reports a line that the table has twice, if the second would replace the first. */
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

/* Has the name no blank, control byte, quote or dollar sign, and no byte of `without`? */
static bool is_plain_name(struct str s, const char *without)
{
	for (size_t i = 0; i < s.n; i++)
		if ((unsigned char)s.p[i] <= ' ' || s.p[i] == 0x7f ||
		    strchr("\"'\\$`", s.p[i]) || strchr(without, s.p[i]))
			return false;
	return s.n > 0;
}

/* A table is for a program ("git") or one of its subcommands ("git rebase"). */
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
	if (count > 1 && name->text.n > LINE_MAX_SUBCOMMAND)
		diag_add(l->sink, DIAG_VALUE, name->at,
			 "the name of a subcommand is longer than %d bytes", LINE_MAX_SUBCOMMAND);
	for (; i && count == 1; i = i->next)
		for (const struct ast_value *v = i->values;
		     i->kind == AST_P_ALSO && v; v = v->next)
			if (!lower_program_name(l, v->text, v->at))
				return;
}

/* Only these shells' text is read as they read it (zsh's: where it is plain). */
bool lower_is_shell(struct str name)
{
	static const char *const shells[] = { "bash", "dash", "sh", "zsh" };

	for (size_t i = 0; i < POL_LEN(shells); i++)
		if (str_eqz(name, shells[i]))
			return true;
	return false;
}

static void check_transparent(struct lower *l, const struct ast_stmt *stmt,
			      const struct ast_prog_item *item)
{
	for (const struct ast_value *v = stmt->values; v; v = v->next)
		if (!lower_is_shell(v->text))
			diag_add(l->sink, DIAG_OPTION, item->at,
				 "'transparent' is said of wrappers, and of the shells bash, "
				 "dash, sh and zsh, not of '%.*s'",
				 STR_ARG(v->text));
}

static void check_table(struct lower *l, const struct ast_stmt *stmt)
{
	unsigned table = stmt->kind == AST_PROGRAM ? P :
			 stmt->kind == AST_WRAPPER ? W : I;
	const char *word = table == P ? "program" : table == W ? "wrapper" : "interpreter";

	for (const struct ast_prog_item *i = stmt->items; i; i = i->next) {
		if (i->kind == AST_P_FLAG) {
			check_flag(l, i, table, word);
			if (table == I && i->values &&
			    str_eqz(i->values->text, "transparent"))
				check_transparent(l, stmt, i);
			continue;
		}
		if (i->kind == AST_P_SKIP || i->kind == AST_P_CODE_OPERAND)
			check_number(l, i);
		if (place_of(i->kind, NULL))
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

/* --- reading --------------------------------------------------------------------- */

struct table {
	struct lower *l;
	struct ir_program p;
	uint32_t same; /* the next free number */
	VEC(struct ir_optspec) options;
	VEC(struct ir_code_place) codes;
	VEC(struct str) after, ends, also, defaults;
};

/* Removes the colons and says what they mean: "--output:" takes a value, "--color::"
 * takes an attached value, and "--browser:?" takes the next word in some places. */
static enum line_option_takes takes_of(struct str *text)
{
	size_t n = 0;

	if (text->n > 2 && text->p[text->n - 1] == '?' && text->p[text->n - 2] == ':') {
		text->n -= 2;
		return LINE_TAKES_EITHER;
	}
	while (n < text->n && text->p[text->n - n - 1] == ':')
		n++;
	text->n -= n;
	return n == 0 ? LINE_TAKES_NOTHING : n == 1 ? LINE_TAKES_VALUE : LINE_TAKES_ATTACHED;
}

/* The flag for a line that lists options; 0: a line that just does that. */
static unsigned option_flag(enum ast_prog_kind kind)
{
	static const struct {
		enum ast_prog_kind kind;
		enum line_option_flag flag;
	} kinds[] = {
		{ AST_P_GLOBAL, LINE_OF_GLOBAL }, { AST_P_CODE, LINE_OF_CODE },
		{ AST_P_QUERY, LINE_OF_QUERY },   { AST_P_MOVES, LINE_OF_MOVES },
		{ AST_P_RUNS, LINE_OF_RUNS },     { AST_P_LEADS, LINE_OF_LEADS },
		{ AST_P_READS, LINE_OF_READS },   { AST_P_WRITES, LINE_OF_WRITES },
		{ AST_P_SCRIPT, LINE_OF_SCRIPT }, { AST_P_TREES, LINE_OF_TREES },
		{ AST_P_INSTEAD, LINE_OF_INSTEAD }, { AST_P_EDITS, LINE_OF_EDITS },
		{ AST_P_BEGINS, LINE_OF_BEGINS }, { AST_P_BELOW, LINE_OF_BELOW },
		{ AST_P_UNPACKS, LINE_OF_UNPACKS }, { AST_P_NAMES_FROM, LINE_OF_NAMES },
	};

	for (size_t i = 0; i < POL_LEN(kinds); i++)
		if (kinds[i].kind == kind)
			return kinds[i].flag;
	return 0;
}

/*
 * Adds one specification.  In a line of `code`, `query`, `moves`, `runs` or `leads`, a
 * word without a colon only names an option; what the option takes is said elsewhere.
 */
static void add_spec(struct table *t, const struct ast_prog_item *item,
		     const struct ast_value *v)
{
	struct str text = v->text;
	enum line_option_takes takes = takes_of(&text);
	bool listed = item->kind == AST_P_GLOBAL || item->kind == AST_P_OPTIONS;
	struct ir_optspec o = {
		.takes = takes,
		.says_takes = takes != LINE_TAKES_NOTHING || listed,
		.flags = option_flag(item->kind),
		.same = t->same++,
	};
	size_t from = 0;

	if (o.flags & LINE_OF_CODE)
		lower_when_regex(t->l, item->when, &o.when);
	for (size_t i = 0; i <= text.n; i++) {
		if (i < text.n && text.p[i] != '|')
			continue;
		o.name = str_sub(text, from, i - from);
		from = i + 1;
		VEC_PUSH(t->l->a, &t->options, o);
	}
}

static void add_code_operand(struct table *t, const struct ast_prog_item *item)
{
	struct ir_code_place c = { .operand = 0 };
	uint64_t n = 0;

	if (item->values && item->values->kind == AST_V_NAME)
		c.operand = LINE_ANY_OPERAND;
	else if (item->values && num_u64(item->values->text, &n) && n >= 1 && n <= 255)
		c.operand = (uint32_t)n;
	else
		return; /* was reported with the table's other errors */
	lower_when_regex(t->l, item->when, &c.when);
	VEC_PUSH(t->l->a, &t->codes, c);
}

static void add_operands(struct table *t, const struct ast_prog_item *item)
{
	struct ir_code_place c = { .operand = 0 };

	if (!place_of(item->kind, &c.kind) || !operands(item->values, &c.operand))
		return;
	lower_when_regex(t->l, item->when, &c.when);
	VEC_PUSH(t->l->a, &t->codes, c);
}

/*
 * Reads a word of `after`, `ends-at`, `also` or `script-file default`, as it appears in
 * a command.
 */
static bool table_word(struct lower *l, const struct ast_value *v, struct str *ret)
{
	*ret = v->text;
	if (v->kind == AST_V_STRING) {
		if (sema_has_root(v->text)) {
			diag_add(l->sink, DIAG_ROOT_PLACE, v->at,
				 "a root has no value in a table of a program: '%.*s'",
				 STR_ARG(v->text));
			return false;
		}
		*ret = sema_plain(l->a, v->text);
	}
	if (!ret->n)
		diag_add(l->sink, DIAG_VALUE, v->at,
			 "an empty word begins, ends or names nothing");
	return ret->n > 0;
}

/* A file that the program runs unasked is known by its name, wherever it lies. */
static void add_default(struct table *t, const struct ast_value *v, struct str name)
{
	if (ir_is_file_name(name))
		VEC_PUSH(t->l->a, &t->defaults, name);
	else
		diag_add(t->l->sink, DIAG_VALUE, v->at,
			 "'%.*s' is no name of a file: a name has no '/', and at most one '*'",
			 STR_ARG(name));
}

static void add_words(struct table *t, const struct ast_prog_item *item)
{
	for (const struct ast_value *v = item->values; v; v = v->next) {
		struct str word;

		if (!table_word(t->l, v, &word))
			continue;
		if (item->kind == AST_P_AFTER)
			VEC_PUSH(t->l->a, &t->after, word);
		else if (item->kind == AST_P_ALSO)
			VEC_PUSH(t->l->a, &t->also, word);
		else if (item->kind == AST_P_SCRIPT_DEFAULT)
			add_default(t, v, word);
		else
			VEC_PUSH(t->l->a, &t->ends, word);
	}
}

static void add_item(struct table *t, const struct ast_prog_item *item)
{
	struct str word = item->values ? item->values->text : STR("");
	uint64_t n = 0;

	switch (item->kind) {
	case AST_P_GLOBAL:
	case AST_P_OPTIONS:
	case AST_P_CODE:
	case AST_P_QUERY:
	case AST_P_MOVES:
	case AST_P_RUNS:
	case AST_P_LEADS:
	case AST_P_READS:
	case AST_P_WRITES:
	case AST_P_SCRIPT:
	case AST_P_TREES:
	case AST_P_INSTEAD:
	case AST_P_EDITS:
	case AST_P_BEGINS:
	case AST_P_BELOW:
	case AST_P_UNPACKS:
	case AST_P_NAMES_FROM:
		for (const struct ast_value *v = item->values; v; v = v->next)
			add_spec(t, item, v);
		break;
	case AST_P_SKIP:
		if (num_u64(word, &n) && n <= 255)
			t->p.skip = (uint32_t)n;
		break;
	case AST_P_CODE_OPERAND:
		add_code_operand(t, item);
		break;
	case AST_P_READS_OPERAND:
	case AST_P_WRITES_OPERAND:
	case AST_P_SCRIPT_OPERAND:
	case AST_P_TREES_OPERAND:
	case AST_P_BEGINS_OPERAND:
	case AST_P_BELOW_OPERAND:
	case AST_P_UNPACKS_OPERAND:
	case AST_P_NAMES_FROM_OPERAND:
		add_operands(t, item);
		break;
	case AST_P_CODE_STDIN:
		t->p.flags |= LINE_PF_CODE_STDIN;
		break;
	case AST_P_AFTER:
	case AST_P_ENDS_AT:
	case AST_P_ALSO:
	case AST_P_SCRIPT_DEFAULT:
		add_words(t, item);
		break;
	case AST_P_SHELL:
		t->p.flags |= LINE_PF_SHELL;
		break;
	case AST_P_FLAG:
		t->p.flags |= flag_of(word);
		break;
	}
}

void lower_program(struct lower *l, const struct sema_stmt *s)
{
	struct table t = { .l = l,
			   .p = { .level = s->unit->level, .at = s->at } };

	t.p.kind = s->stmt->kind == AST_PROGRAM ? LINE_PK_PROGRAM :
		   s->stmt->kind == AST_WRAPPER ? LINE_PK_WRAPPER : LINE_PK_INTERPRETER;
	check_table(l, s->stmt);
	for (const struct ast_prog_item *i = s->stmt->items; i; i = i->next)
		add_item(&t, i);
	t.p.options = t.options.v;
	t.p.noptions = t.options.n;
	t.p.codes = t.codes.v;
	t.p.ncodes = t.codes.n;
	t.p.after = t.after.v;
	t.p.nafter = t.after.n;
	t.p.ends = t.ends.v;
	t.p.nends = t.ends.n;
	t.p.also = t.also.v;
	t.p.nalso = t.also.n;
	t.p.defaults = t.defaults.v;
	t.p.ndefaults = t.defaults.n;
	for (const struct ast_value *v = s->stmt->values; v; v = v->next) {
		t.p.name = v->text;
		VEC_PUSH(l->a, &l->made.programs, t.p);
	}
}
