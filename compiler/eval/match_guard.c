/*
 * Decides whether the options and operands of a command satisfy a guard.  A command has
 * several readings (an option that no table knows may or may not take the next word as
 * its value) and several values (a word that is not literal may be anything).  Under
 * deny and ask one reading is enough; under allow every reading counts.
 */
#include <limits.h>

#include "compiler/eval/match_guard.h"
#include "compiler/eval/match_glob.h"
#include "compiler/eval/match_word.h"
#include "runtime/line/facts.h"

/* What is asked about an option of the guard. */
enum question {
	Q_CAN,     /* some value has the option in some reading */
	Q_HELD,    /* some value has the option in every reading, as far as we know */
	Q_GIVEN,   /* every value has the option in some reading */
	Q_SURE     /* every value has the option in every reading */
};

struct guard {
	const struct eval_asked *q;
	enum eval_bytes bytes; /* what a `*` in names and values matches */
	struct arena a;
};

/* --- which option is it? ------------------------------------------------------------ */

static const struct line_option *table_option(const struct guard *g, uint32_t i)
{
	return cmd_option_at(g->q->world->facts, g->q->part->program, i);
}

static struct str table_name(const struct guard *g, const struct line_option *o)
{
	return (struct str){ pb_strp(g->q->world->facts, o->name), o->name.len };
}

static uint32_t table_count(const struct guard *g)
{
	return cmd_option_count(g->q->world->facts, g->q->part->program);
}

/*
 * Does the guard's option match this name, or another name that the table gives to the
 * same option?
 */
static bool means(const struct guard *g, const struct ir_option *opt, struct str name,
		  const struct line_option *known)
{
	uint32_t i;

	if (eval_match_glob(&opt->name, name, g->bytes, EVAL_U_END))
		return true;
	for (i = 0; known && i < table_count(g); i++) {
		const struct line_option *t = table_option(g, i);

		if (t->same == known->same &&
		    eval_match_glob(&opt->name, table_name(g, t), g->bytes, EVAL_U_END))
			return true;
	}
	return false;
}

static struct str name_of(const struct cmd_option *o)
{
	return (struct str){ o->name, o->name_n };
}

/* May a name that begins with this one be the guard's option? */
static bool may_mean(const struct guard *g, const struct ir_option *opt,
		     const struct cmd_option *o)
{
	uint32_t i;

	if (eval_glob_may_begin(&opt->name, name_of(o)) ||
	    means(g, opt, name_of(o), o->known))
		return true;
	for (i = 0; i < table_count(g); i++) {
		const struct line_option *t = table_option(g, i);

		if (str_starts(table_name(g, t), name_of(o)) &&
		    means(g, opt, table_name(g, t), t))
			return true;
	}
	return false;
}

/* --- its value ------------------------------------------------------------------------- */

static struct eval_match value_matches(const struct guard *g, const struct ir_option *opt,
				     const struct cmd_option *o)
{
	struct eval_match m = { true, true };

	if (!opt->value)
		return m;
	if (o->value) {
		m.may = m.must = eval_match_glob(opt->value,
					       (struct str){ o->value, o->value_n },
					       g->bytes, EVAL_U_END);
		return m;
	}
	if (o->value_open || o->how == CMD_O_ANY)
		return (struct eval_match){ true, false };
	if (o->value_word && o->value_word < g->q->part->nwords)
		return eval_match_one_word(g->q, &g->q->part->words[o->value_word],
					 opt->value, g->bytes);
	return (struct eval_match){ false, false };
}

/* Can a broad reading take this literal word for something other than an option? */
static bool is_avoidable(const struct guard *g, const struct cmd_option *o)
{
	return !o->sure && o->how != CMD_O_ANY && o->word < g->q->part->nwords &&
	       sh_is_literal(g->q->part->words[o->word].w);
}

/* Does this occurrence answer the question with yes? */
static bool says(const struct guard *g, const struct ir_option *opt,
		 const struct cmd_option *o, enum question ask)
{
	bool exact = o->how == CMD_O_EXACT;
	struct eval_match v;

	if (exact ? !means(g, opt, name_of(o), o->known) : !may_mean(g, opt, o))
		return false;
	v = value_matches(g, opt, o);
	switch (ask) {
	case Q_CAN:
		return v.may;
	case Q_HELD:
		return v.may && !is_avoidable(g, o);
	case Q_GIVEN:
		/* an option that was cut short is only one reading of a literal word */
		return v.must && o->given && o->how != CMD_O_ANY;
	case Q_SURE:
		return v.must && o->sure && exact;
	}
	return false;
}

/* --- options of the guard ------------------------------------------------------------ */

static bool is_there(const struct guard *g, const struct ir_option *opt, enum question ask)
{
	const struct cmd_option *o;

	/* the command gets further, unknown words, which may contain any option */
	if ((g->q->part->flags & CMD_APPENDS) && (ask == Q_CAN || ask == Q_HELD))
		return true;
	for (o = g->q->part->options; o; o = o->next)
		if (says(g, opt, o, ask))
			return true;
	return false;
}

/*
 * The number of letters in an option like "-rf", where each letter may be an option of its
 * own; 0 if the option is not written like that.
 */
static size_t cluster_letters(const struct guard *g, const struct ir_option *opt)
{
	const struct line_program *p = g->q->part->program;
	const struct ir_glob *n = &opt->name;

	if (opt->value || !ir_glob_is_literal(n) || n->n < 3 || n->v[0].byte != '-' ||
	    n->v[1].byte == '-' || n->v[1].op != IR_G_BYTE)
		return 0;
	if (p && (p->flags & LINE_PF_NO_CLUSTER))
		return 0;
	for (size_t i = 0; i < n->n; i++)
		if (n->v[i].op != IR_G_BYTE)
			return 0;
	return n->n - 1;
}

static struct ir_option letter(struct guard *g, const struct ir_option *opt, size_t i)
{
	struct ir_glob_item *v = arena_array(&g->a, 2, sizeof(*v));
	struct ir_option one = { .name = { v, 2 } };

	v[0] = (struct ir_glob_item){ .op = IR_G_BYTE, .byte = '-' };
	v[1] = opt->name.v[i + 1];
	return one;
}

/* Is the option itself there, or every one of its letters? */
static bool is_present(struct guard *g, const struct ir_option *opt, enum question ask)
{
	size_t n = cluster_letters(g, opt), i;

	if (is_there(g, opt, ask))
		return true;
	for (i = 0; i < n; i++) {
		struct ir_option one = letter(g, opt, i);

		if (!is_there(g, &one, ask))
			return false;
	}
	return n > 0;
}

static bool any_present(struct guard *g, const struct ir_guard *of, enum question ask)
{
	size_t i;

	for (i = 0; i < of->noptions; i++)
		if (is_present(g, &of->options[i], ask))
			return true;
	return false;
}

/* Is the occurrence one of the guard's options, or one letter of them? */
static bool is_listed(struct guard *g, const struct ir_guard *of,
		      const struct cmd_option *o, enum eval_side side, bool must)
{
	size_t i, k;

	for (i = 0; i < of->noptions; i++) {
		size_t n = cluster_letters(g, &of->options[i]);

		for (k = 0; k <= n; k++) {
			struct ir_option one = k ? letter(g, &of->options[i], k - 1) :
						   of->options[i];

			if (!says(g, &one, o, Q_CAN))
				continue;
			if (!must || (value_matches(g, &one, o).must &&
				      (side == EVAL_NARROW ? o->how == CMD_O_EXACT :
							   o->how != CMD_O_ANY)))
				return true;
		}
	}
	return false;
}

static struct eval_match match_only(struct guard *g, const struct ir_guard *of,
				  enum eval_side side)
{
	bool appends = g->q->part->flags & CMD_APPENDS;
	struct eval_match m = { true, !appends };
	const struct cmd_option *o;

	for (o = g->q->part->options; o; o = o->next) {
		if (o->sure && !is_listed(g, of, o, side, false))
			m.may = false;
		if (side == EVAL_BROAD && is_avoidable(g, o))
			continue;
		if (!is_listed(g, of, o, side, true))
			m.must = false;
	}
	return m;
}

/* --- within --------------------------------------------------------------------------- */

/*
 * Does the file that the text names lie in one of the guard's paths?  The text is
 * resolved in every directory where the command may run: under deny and ask one of them
 * is enough, under allow all must agree.  An unknown path may lie in them.  `tree`: all
 * that is below as well, which is clear only where the path is a whole root.
 */
static struct eval_match lies_in(const struct guard *g, const struct ir_guard *of,
			       struct str text, bool tree, enum eval_side side)
{
	const struct cmd_dir none = { .path = NULL }, *d = g->q->part->dirs;
	bool any = false, all = true;
	char buf[PATH_MAX];
	size_t i;

	if (g->q->part->dirs_unknown || !d)
		d = &none;
	for (; d; d = d->next) {
		bool yes = false;

		if (!cmd_resolve(g->q->world, d->path, text.p, text.n, false, buf,
				 sizeof(buf)))
			return (struct eval_match){ true, false };
		for (i = 0; i < of->npaths && !yes; i++)
			yes = (!tree || (of->paths[i].below && !of->paths[i].glob.n)) &&
			      eval_match_path(&of->paths[i], g->q->req, str_from(buf));
		any |= yes;
		all &= yes;
	}
	return (struct eval_match){ any, side == EVAL_BROAD ? any : all };
}

/* Adds one operand or value; `held`: in every reading the word is one. */
static void take(struct eval_match *all, struct eval_match one, bool literal, bool held,
		 enum eval_side side)
{
	if (held)
		all->may &= one.may || !literal;
	if (side == EVAL_NARROW)
		all->must &= literal && one.must;
	else
		all->must &= literal && (!held || one.must);
}

static bool has_scripts(const struct cmd_part *p)
{
	return p->program &&
	       (p->program->flags & (LINE_PF_SED_SCRIPT | LINE_PF_AWK_SCRIPT));
}

static bool takes_code(const struct cmd_option *o)
{
	return o->known && (o->known->flags & LINE_OF_CODE);
}

/* Is the word a script of sed or awk, and nothing else?  A table names all operands that
 * are files. */
static bool is_script(const struct cmd_part *p, uint32_t at)
{
	const struct cmd_word *w = &p->words[at];
	const struct cmd_option *o;
	bool any = false, all = true;

	if (!has_scripts(p) || !sh_is_literal(w->w))
		return false;
	if (w->roles == CMD_W_OPERAND)
		return !w->places;
	for (o = p->options; o; o = o->next)
		if (o->value_word == at) {
			any = true;
			all &= takes_code(o);
		}
	return any && all && w->roles == CMD_W_VALUE;
}

static struct eval_match match_within(struct guard *g, const struct ir_guard *of,
				    enum eval_side side)
{
	const struct cmd_part *p = g->q->part;
	bool appends = p->flags & CMD_APPENDS, may_operand = appends, operand = false;
	struct eval_match all = { true, !appends };
	const struct cmd_option *o;
	uint32_t i;

	for (i = 1; i < p->nwords; i++) {
		const struct cmd_word *w = &p->words[i];
		const unsigned place = CMD_W_OPERAND | CMD_W_VALUE;
		struct eval_match one = { true, false };
		struct str text;
		bool literal = eval_word_text(g->q, w, &g->a, &text);
		/* the kernel looks at the files that a pattern names */
		bool names = !literal && side == EVAL_NARROW &&
			     g->q->req->scope == IR_SANDBOX &&
			     cmd_pattern_folder(w, &text.p, &text.n);

		if (side == EVAL_NARROW && is_script(p, i))
			continue;
		if (literal && !(w->roles & place))
			continue;
		if (names) {
			may_operand = true;
			operand |= w->roles == CMD_W_OPERAND;
			all.must &= lies_in(g, of, text, true, side).must;
			continue;
		}
		if (literal)
			one = lies_in(g, of, text, false, side);
		may_operand |= !literal || (w->roles & CMD_W_OPERAND);
		operand |= literal && (side == EVAL_NARROW ? w->roles == CMD_W_OPERAND :
							   w->roles & CMD_W_OPERAND);
		take(&all, one, literal, !(w->roles & ~place), side);
	}
	for (o = p->options; o; o = o->next) {
		struct eval_match one = { true, false };

		if (!o->value && !o->value_open)
			continue;
		if (side == EVAL_NARROW && o->value && o->sure && has_scripts(p) &&
		    takes_code(o))
			continue;
		if (o->value)
			one = lies_in(g, of, (struct str){ o->value, o->value_n }, false,
				      side);
		take(&all, one, o->value != NULL, o->sure, side);
	}
	all.may &= may_operand;
	all.must &= operand;
	return all;
}

/* ------------------------------------------------------------------------------------ */

struct eval_match eval_match_guard(const struct eval_asked *q, const struct ir_guard *of,
			       enum eval_side side)
{
	/* options that must be absent match as a rule of the opposite effect would */
	bool broad = (side == EVAL_BROAD) != (of->kind == IR_GD_WITHOUT);
	struct guard g = { .q = q, .bytes = broad ? EVAL_B_ANY : EVAL_B_PLAIN };
	struct eval_match m = { false, false };

	arena_init(&g.a, ARENA_DEFAULT_BUDGET);
	switch (of->kind) {
	case IR_GD_WITH:
		m.may = any_present(&g, of, Q_CAN);
		m.must = any_present(&g, of, side == EVAL_BROAD ? Q_GIVEN : Q_SURE);
		break;
	case IR_GD_WITHOUT:
		m.may = !any_present(&g, of, Q_SURE);
		m.must = !any_present(&g, of, side == EVAL_BROAD ? Q_HELD : Q_CAN);
		break;
	case IR_GD_WITH_ONLY:
		m = match_only(&g, of, side);
		break;
	case IR_GD_WITHIN:
		m = match_within(&g, of, side);
		break;
	}
	arena_release(&g.a);
	m.must &= m.may;
	return m;
}
