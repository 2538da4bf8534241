/* Reads the tables of programs (runtime/line/facts.h) as a whole. */
#include "compiler/eval/tabled.h"

#include "runtime/line/command.h"

static const struct line_program *program_at(const struct line_facts *f, size_t i)
{
	return pb_at(f, f->programs, sizeof(struct line_program), (uint32_t)i);
}

static struct str name_of(const struct line_facts *f, const struct line_program *p)
{
	return (struct str){ pb_strp(f, p->name), p->name.len };
}

/* The table of the program with this base name, or that of which it is another name. */
static const struct line_program *table_of(const struct line_facts *f, struct str base,
					   bool *ret_renamed)
{
	const struct line_program *called = NULL, *p;

	*ret_renamed = false;
	p = base.n ? cmd_program_called(f, base.p, base.n, &called, ret_renamed) : NULL;
	*ret_renamed |= called && called->also.count;
	return p;
}

/* Is it the table of the program, or of one of its subcommands? */
static bool is_table_of(struct str name, struct str base)
{
	return str_eq(name, base) ||
	       (str_starts(name, base) && name.n > base.n && name.p[base.n] == ' ');
}

bool eval_tabled_is_plain(const struct ir *ir, struct str base)
{
	const unsigned other = LINE_PF_SHELL | LINE_PF_AWAY | LINE_PF_FILES_ONLY;
	const struct line_facts *f = ir->line_facts;
	bool renamed;
	size_t i;

	if (!table_of(f, base, &renamed) || renamed)
		return false;
	for (i = 0; i < f->programs.count; i++) {
		const struct line_program *p = program_at(f, i);

		if (is_table_of(name_of(f, p), base) &&
		    (p->kinds != LINE_PK_PROGRAM || (p->flags & other)))
			return false;
	}
	return true;
}

bool eval_tabled_splits(const struct ir *ir, struct str base)
{
	const unsigned other = LINE_PF_NO_CLUSTER | LINE_PF_ONE_DASH | LINE_PF_FILES_ONLY |
			       LINE_PF_SUBCOMMANDS;
	const struct line_facts *f = ir->line_facts;
	bool renamed;
	const struct line_program *p = table_of(f, base, &renamed);
	uint32_t i;

	if (!p || p->kinds != LINE_PK_PROGRAM || (p->flags & other))
		return false;
	for (i = 0; i < cmd_option_count(f, p); i++) {
		const struct line_option *o = cmd_option_at(f, p, i);
		const char *name = pb_strp(f, o->name);

		if (o->name.len > 2 && name[0] == '-' && name[1] != '-')
			return false;
	}
	return true;
}

bool eval_tabled_is_bare(const struct ir *ir, struct str base)
{
	bool renamed;

	return base.n && !table_of(ir->line_facts, base, &renamed);
}

bool eval_tabled_names_tell(const struct ir *ir, struct str base)
{
	const unsigned other = LINE_PF_FILES_ONLY | LINE_PF_SUBCOMMANDS;
	const struct line_facts *f = ir->line_facts;
	bool renamed;
	const struct line_program *p = table_of(f, base, &renamed);
	uint32_t i;

	if (!p)
		return base.n;
	for (i = 0; i < cmd_option_count(f, p); i++) {
		struct pb_str name = cmd_option_at(f, p, i)->name;

		/* "-W*" is an option of many names */
		if (name.len && pb_strp(f, name)[name.len - 1] == '*')
			return false;
	}
	return !(p->flags & other);
}

bool eval_tabled_interprets(const struct ir *ir, struct str base)
{
	bool renamed;

	return table_of(ir->line_facts, base, &renamed) && !eval_tabled_is_plain(ir, base);
}

size_t eval_tabled_code(const struct ir *ir, struct str base, struct str *ret, size_t max)
{
	const struct line_facts *f = ir->line_facts;
	bool renamed;
	const struct line_program *p = table_of(f, base, &renamed);
	uint32_t i, count = p ? cmd_option_count(f, p) : 0;
	size_t n = 0;

	for (i = 0; i < count && n < max; i++) {
		const struct line_option *o = cmd_option_at(f, p, i);

		if (o->flags & LINE_OF_CODE)
			ret[n++] = (struct str){ pb_strp(f, o->name), o->name.len };
	}
	return n;
}

struct str eval_tabled_option(const struct ir *ir, struct str base, struct str name)
{
	const struct line_facts *f = ir->line_facts;
	bool renamed;
	const struct line_program *p = table_of(f, base, &renamed);
	const struct line_option *own = NULL;
	uint32_t n = p ? cmd_option_count(f, p) : 0, i;

	/* a subcommand has a table of its own */
	if (!p || (p->flags & LINE_PF_SUBCOMMANDS))
		return name;
	for (i = 0; i < n && !own; i++) {
		const struct line_option *o = cmd_option_at(f, p, i);

		if (str_eq((struct str){ pb_strp(f, o->name), o->name.len }, name))
			own = o;
	}
	for (i = 0; own && i < n; i++) {
		const struct line_option *o = cmd_option_at(f, p, i);

		if (o->same == own->same)
			return (struct str){ pb_strp(f, o->name), o->name.len };
	}
	return name;
}

enum eval_runner eval_tabled_runs(const struct ir *ir, struct str base)
{
	const struct line_facts *f = ir->line_facts;
	bool renamed;
	const struct line_program *p = table_of(f, base, &renamed);

	if (!p)
		return EVAL_RUNS_NOTHING;
	if ((p->kinds & LINE_PK_INTERPRETER) && (p->flags & LINE_PF_SHELL))
		return EVAL_RUNS_TEXT;
	if (p->flags & LINE_PF_AWAY)
		return EVAL_RUNS_AWAY;
	return p->kinds & LINE_PK_WRAPPER ? EVAL_RUNS_WORDS : EVAL_RUNS_NOTHING;
}

bool eval_tabled_is_transparent(const struct ir *ir, struct str base)
{
	const struct line_facts *f = ir->line_facts;
	bool renamed;
	const struct line_program *p = table_of(f, base, &renamed);

	return p && !renamed && (p->flags & LINE_PF_TRANSPARENT);
}

size_t eval_tabled_count(const struct ir *ir)
{
	return ir->line_facts->programs.count;
}

struct str eval_tabled_name(const struct ir *ir, size_t i)
{
	return name_of(ir->line_facts, program_at(ir->line_facts, i));
}
