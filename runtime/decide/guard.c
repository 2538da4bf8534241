/*
 * Guards: which options a command has, and where its operands lie (semantics 4.3). A
 * command has several readings (an option that no table knows may or may not take the
 * next word) and several values (a word that is not literal). Deny and ask need one
 * reading, allow needs all. Time is linear in the command's options times the options
 * that a guard names.
 */
#include <limits.h>
#include <string.h>

#include "runtime/decide/guard.h"
#include "runtime/decide/part_word.h"
#include "runtime/decide/path.h"
#include "runtime/decide/walk_ask.h"

/* Costs in steps. If the line's steps are used up, the line is denied, whatever is
 * answered here. */
#define OPTION_COST 16
#define PLACE_COST 16 /* for one text in one directory */

/* The questions about an option of the guard. */
enum question {
	Q_CAN,   /* in some reading, some value has it */
	Q_HELD,  /* for some value, no broad reading can do without it */
	Q_GIVEN, /* every value has it in some reading */
	Q_SURE   /* in every reading, every value has it */
};

struct asked {
	struct line_ctx *l;
	const struct pb_matcher *m;
	const struct line_facts *facts;
	const struct cmd_part *p;
	bool broad;
};

static const struct pb_automaton *words_at(const struct pb_matcher *m, uint32_t number)
{
	return pb_at(m, m->words, sizeof(struct pb_automaton), number);
}

/* Does automaton `number` of matcher.words accept the text? */
static bool is_word_of(const struct pb_matcher *m, uint32_t number, const char *p, size_t n)
{
	struct dfa_walk w;
	uint32_t tags;

	dfa_start(&w, m, words_at(m, number));
	dfa_feed(&w, p, n);
	(void)dfa_tags(&w, &tags);
	return tags != 0;
}

/* --- which option is it? -------------------------------------------------------------- */

static bool is_named(const struct asked *a, const struct pb_guard_option *g,
		     const char *p, size_t n)
{
	if (g->names != PB_NO_WORDS)
		return is_word_of(a->m, g->names, p, n);
	return g->name.len == n && memcmp(pb_strp(a->m, g->name), p, n) == 0;
}

/* May a name of the guard begin with this text? */
static bool begins(const struct asked *a, const struct pb_guard_option *g, const char *p,
		   size_t n)
{
	struct dfa_walk w;

	if (g->names == PB_NO_WORDS)
		return g->name.len >= n && memcmp(pb_strp(a->m, g->name), p, n) == 0;
	dfa_start(&w, a->m, words_at(a->m, g->names));
	dfa_feed(&w, p, n);
	return w.state != 0;
}

static const struct line_option *table_option(const struct asked *a, uint32_t i)
{
	return cmd_option_at(a->facts, a->p->program, i);
}

static uint32_t table_count(const struct asked *a)
{
	return cmd_option_count(a->facts, a->p->program);
}

/* Does the table have an option of exactly this name that means the same as `known`? */
static bool is_same(const struct asked *a, const struct line_option *known, const char *p,
		    size_t n)
{
	const struct line_program *prog = a->p->program;

	for (; prog; prog = cmd_base_of(a->facts, prog)) {
		const struct line_option *t = cmd_table_option(a->facts, prog, p, n);

		if (t && t->same == known->same)
			return true;
	}
	return false;
}

/* Does the guard mean this name, or a name in the table for the same option? */
static bool means(const struct asked *a, const struct pb_guard_option *g, const char *p,
		  size_t n, const struct line_option *known)
{
	uint32_t i;

	if (is_named(a, g, p, n))
		return true;
	if (known && g->names == PB_NO_WORDS)
		return is_same(a, known, pb_strp(a->m, g->name), g->name.len);
	for (i = 0; known && i < table_count(a); i++) {
		const struct line_option *t = table_option(a, i);

		if (t->same == known->same &&
		    is_named(a, g, pb_strp(a->facts, t->name), t->name.len))
			return true;
	}
	return false;
}

static bool begins_so(const struct asked *a, const struct line_option *t,
		      const struct cmd_option *o)
{
	return t->name.len >= o->name_n &&
	       memcmp(pb_strp(a->facts, t->name), o->name, o->name_n) == 0;
}

/* May a name that begins with this text be the guard's option? */
static bool may_mean(const struct asked *a, const struct pb_guard_option *g,
		     const struct cmd_option *o)
{
	const struct line_program *prog = a->p->program;
	uint32_t i;

	if (begins(a, g, o->name, o->name_n) ||
	    means(a, g, o->name, o->name_n, o->known))
		return true;
	/* options of one table that begin alike are adjacent */
	for (; prog; prog = cmd_base_of(a->facts, prog))
		for (i = cmd_first_option(a->facts, prog, o->name, o->name_n);
		     i < prog->options.count; i++) {
			const struct line_option *t = cmd_option_at(a->facts, prog, i);
			const char *name = pb_strp(a->facts, t->name);

			if (!begins_so(a, t, o))
				break;
			if (means(a, g, name, t->name.len, t))
				return true;
		}
	return false;
}

/* --- its value -------------------------------------------------------------------------- */

static struct guard_says value_word(const struct asked *a, uint32_t values,
				    const struct cmd_word *word)
{
	uint64_t room[2][BITS_WORDS(1)];
	struct bits may, must;
	struct pool pool = a->l->pool;
	struct guard_says r = { true, false };
	struct walk_word w;

	bits_make(&may, room[0], 1);
	bits_make(&must, room[1], 1);
	if (part_word(a->l, word, false, &w)) {
		struct walk k = { .m = a->m, .words = &w, .n = 1, .pool = a->l->pool,
				  .may = &may, .must = &must, .work = &a->l->work };

		walk_ask(&k, words_at(a->m, values));
		r = (struct guard_says){ bits_has(&may, 0), bits_has(&must, 0) };
	}
	a->l->pool = pool;
	return r;
}

static bool is_value(const struct asked *a, uint32_t values, const char *p, size_t n)
{
	struct dfa_walk w;
	uint32_t tags;

	dfa_start(&w, a->m, words_at(a->m, values));
	dfa_feed(&w, p, n);
	dfa_feed(&w, "", 1);
	(void)dfa_tags(&w, &tags);
	return tags != 0;
}

static struct guard_says value_of(const struct asked *a, const struct pb_guard_option *g,
				  const struct cmd_option *o)
{
	struct guard_says r = { true, true };

	if (g->values == PB_NO_WORDS)
		return r;
	if (o->value) {
		r.may = r.must = is_value(a, g->values, o->value, o->value_n);
		return r;
	}
	r.must = false;
	if (o->value_open || o->how == CMD_O_ANY)
		return r;
	if (o->value_word && o->value_word < a->p->nwords)
		return value_word(a, g->values, &a->p->words[o->value_word]);
	r.may = false;
	return r;
}

/* May a broad reading do without the option, whatever the words stand for? */
static bool is_avoidable(const struct asked *a, const struct cmd_option *o)
{
	return !o->sure && o->how != CMD_O_ANY && o->word < a->p->nwords &&
	       sh_is_literal(a->p->words[o->word].w);
}

/* Does this occurrence answer the question with yes? */
static bool says(const struct asked *a, const struct pb_guard_option *g,
		 const struct cmd_option *o, enum question ask)
{
	bool exact = o->how == CMD_O_EXACT;
	struct guard_says v;

	if (exact ? !means(a, g, o->name, o->name_n, o->known) : !may_mean(a, g, o))
		return false;
	v = value_of(a, g, o);
	switch (ask) {
	case Q_CAN:
		return v.may;
	case Q_HELD:
		return v.may && !is_avoidable(a, o);
	case Q_GIVEN:
		/* an abbreviation is one reading of a literal word */
		return v.must && o->given && o->how != CMD_O_ANY;
	case Q_SURE:
		return v.must && o->sure && exact;
	}
	return false;
}

/* --- options of a guard ------------------------------------------------------------------ */

static bool is_there(const struct asked *a, const struct pb_guard_option *g,
		     enum question ask)
{
	const struct cmd_option *o;

	/* unknown words may hold any option */
	if ((a->p->flags & CMD_APPENDS) && (ask == Q_CAN || ask == Q_HELD))
		return true;
	for (o = a->p->options; o && part_spend(a->l, OPTION_COST); o = o->next)
		if (says(a, g, o, ask))
			return true;
	return false;
}

/* The letters of "-rf", if each of them is an option. */
static uint32_t letters(const struct asked *a, const struct pb_guard_option *g)
{
	const char *name = pb_strp(a->m, g->name);

	if (g->names != PB_NO_WORDS || g->values != PB_NO_WORDS || g->name.len < 3 ||
	    name[0] != '-' || name[1] == '-' ||
	    (a->p->program && (a->p->program->flags & LINE_PF_NO_CLUSTER)))
		return 0;
	return g->name.len - 1;
}

static bool letter_means(const struct asked *a, char c, const char *p, size_t n,
			 const struct line_option *known)
{
	const char name[2] = { '-', c };

	if (n == 2 && memcmp(p, name, 2) == 0)
		return true;
	return known && is_same(a, known, name, 2);
}

static bool letter_may_mean(const struct asked *a, char c, const struct cmd_option *o)
{
	const struct line_program *prog = a->p->program;
	const char name[2] = { '-', c };
	uint32_t i;

	if ((o->name_n <= 2 && memcmp(o->name, name, o->name_n) == 0) ||
	    letter_means(a, c, o->name, o->name_n, o->known))
		return true;
	for (; prog; prog = cmd_base_of(a->facts, prog))
		for (i = cmd_first_option(a->facts, prog, o->name, o->name_n);
		     i < prog->options.count; i++) {
			const struct line_option *t = cmd_option_at(a->facts, prog, i);

			if (!begins_so(a, t, o))
				break;
			if (letter_means(a, c, pb_strp(a->facts, t->name), t->name.len, t))
				return true;
		}
	return false;
}

static bool letter_says(const struct asked *a, char c, const struct cmd_option *o,
			enum question ask)
{
	bool exact = o->how == CMD_O_EXACT;

	if (exact ? !letter_means(a, c, o->name, o->name_n, o->known) :
		    !letter_may_mean(a, c, o))
		return false;
	switch (ask) {
	case Q_CAN:
		return true;
	case Q_HELD:
		return !is_avoidable(a, o);
	case Q_GIVEN:
		return o->given && o->how != CMD_O_ANY;
	case Q_SURE:
		return o->sure && exact;
	}
	return false;
}

static bool letter_is_there(const struct asked *a, char c, enum question ask)
{
	const struct cmd_option *o;

	if ((a->p->flags & CMD_APPENDS) && (ask == Q_CAN || ask == Q_HELD))
		return true;
	for (o = a->p->options; o && part_spend(a->l, OPTION_COST); o = o->next)
		if (letter_says(a, c, o, ask))
			return true;
	return false;
}

/* Is the option itself there, or all of its letters? */
static bool is_present(const struct asked *a, const struct pb_guard_option *g,
		       enum question ask)
{
	uint32_t n = letters(a, g), i;

	if (is_there(a, g, ask))
		return true;
	for (i = 1; i <= n; i++)
		if (!letter_is_there(a, pb_strp(a->m, g->name)[i], ask))
			return false;
	return n > 0;
}

static const struct pb_guard_option *option_at(const struct asked *a, uint32_t i)
{
	return pb_at(a->m, a->m->guard_options, sizeof(struct pb_guard_option), i);
}

static bool any_present(const struct asked *a, const struct pb_guard *g,
			enum question ask)
{
	uint32_t i;

	for (i = g->first; i < g->first + g->count; i++)
		if (is_present(a, option_at(a, i), ask))
			return true;
	return false;
}

/* Is this one of the guard's options, or a letter of one? */
static bool is_listed(const struct asked *a, const struct pb_guard *g,
		      const struct cmd_option *o, bool must)
{
	bool sure = a->broad ? o->how != CMD_O_ANY : o->how == CMD_O_EXACT;
	uint32_t i, k;

	for (i = g->first; i < g->first + g->count; i++) {
		const struct pb_guard_option *x = option_at(a, i);
		uint32_t n = letters(a, x);

		if (says(a, x, o, Q_CAN) && (!must || (sure && value_of(a, x, o).must)))
			return true;
		for (k = 1; k <= n && (sure || !must); k++)
			if (letter_says(a, pb_strp(a->m, x->name)[k], o, Q_CAN))
				return true;
	}
	return false;
}

static struct guard_says with_only(const struct asked *a, const struct pb_guard *g)
{
	struct guard_says r = { true, !(a->p->flags & CMD_APPENDS) };
	const struct cmd_option *o;

	for (o = a->p->options; o && part_spend(a->l, OPTION_COST * g->count); o = o->next) {
		if (o->sure && !is_listed(a, g, o, false))
			r.may = false;
		if (a->broad && is_avoidable(a, o))
			continue;
		if (!is_listed(a, g, o, true))
			r.must = false;
	}
	return r;
}

/* --- within --------------------------------------------------------------------------------- */

/* `tree`: with all that is below it, as far as that is easily seen. */
static bool in_paths(const struct asked *a, const struct pb_guard *g, const char *path,
		     bool tree)
{
	uint32_t i;

	for (i = g->first; i < g->first + g->count; i++) {
		const struct pb_guard_path *q =
			pb_at(a->m, a->m->guard_paths, sizeof(*q), i);
		const char *rest = path_rest(
			a->l->c->roots.dir[q->root & ~PB_PATH_WHOLE_ROOT], path);

		if (tree && !(q->root & PB_PATH_WHOLE_ROOT))
			continue;
		if (rest && !part_spend(a->l, strlen(rest)))
			return false;
		if (rest && is_word_of(a->m, q->words, rest, strlen(rest)))
			return true;
	}
	return false;
}

/* An unknown path may lie there. If there are several directories, one of them is enough
 * for deny and ask. */
static struct guard_says lies_in(const struct asked *a, const struct pb_guard *g,
				 const char *p, size_t n, bool tree)
{
	static const struct cmd_dir none;
	const struct cmd_dir *d = a->p->dirs_unknown || !a->p->dirs ? &none : a->p->dirs;
	char path[PATH_MAX];
	bool any = false, all = true;

	for (; d; d = d->next) {
		bool yes;

		if (!part_spend(a->l, PLACE_COST + n + (d->path ? strlen(d->path) : 0)))
			return (struct guard_says){ true, false };
		if (!cmd_resolve(&a->l->world, d->path, p, n, false, path, sizeof(path)))
			return (struct guard_says){ true, false };
		yes = in_paths(a, g, path, tree);
		any |= yes;
		all &= yes;
	}
	return (struct guard_says){ any, a->broad ? any : all };
}

struct within { struct guard_says all; bool may_operand, operand; };

/* Takes one operand or value into account. `held`: no reading takes it for something
 * else. */
static void take(const struct asked *a, struct within *w, struct guard_says one,
		 bool literal, bool held)
{
	if (held)
		w->all.may &= one.may || !literal;
	if (a->broad)
		w->all.must &= literal && (!held || one.must);
	else
		w->all.must &= literal && one.must;
}

/* Only the kernel looks at the files that such a word names. */
static bool is_pattern(const struct asked *a, const struct cmd_word *word, const char **ret_p,
		       size_t *ret_n)
{
	return !a->broad && a->l->c->scope == PB_SANDBOX &&
	       cmd_pattern_folder(word, ret_p, ret_n);
}

/* A script of sed or awk, in every reading: no path. */
static bool is_script(const struct asked *a, uint32_t at)
{
	const uint32_t scripts = LINE_PF_SED_SCRIPT | LINE_PF_AWK_SCRIPT;
	const struct cmd_part *p = a->p;
	const struct cmd_option *o;
	bool code = false;

	if (a->broad || !p->program || !(p->program->flags & scripts) ||
	    !sh_is_literal(p->words[at].w))
		return false;
	/* a table names all operands that are files */
	if (p->words[at].roles == CMD_W_OPERAND)
		return !p->words[at].places;
	for (o = p->options; o; o = o->next) {
		if (o->value_word != at)
			continue;
		if (!o->known || !(o->known->flags & LINE_OF_CODE))
			return false;
		code = true;
	}
	return code && p->words[at].roles == CMD_W_VALUE;
}

/* The same for a value behind its option letter; every reading must have it as that. */
static bool is_script_value(const struct asked *a, const struct cmd_option *o)
{
	const uint32_t scripts = LINE_PF_SED_SCRIPT | LINE_PF_AWK_SCRIPT;

	return !a->broad && o->value && o->sure && a->p->program &&
	       (a->p->program->flags & scripts) && o->known &&
	       (o->known->flags & LINE_OF_CODE);
}

static void take_word(const struct asked *a, const struct pb_guard *g,
		      const struct cmd_word *word, struct within *w)
{
	const unsigned here = CMD_W_OPERAND | CMD_W_VALUE;
	struct guard_says one = { true, false };
	struct pool pool = a->l->pool;
	struct walk_word text;
	bool literal = part_word(a->l, word, false, &text) && text.literal;
	const char *folder;
	size_t n;

	if (!literal && is_pattern(a, word, &folder, &n)) {
		one = lies_in(a, g, folder, n, true);
		w->may_operand = true;
		w->operand |= word->roles == CMD_W_OPERAND;
		take(a, w, one, true, false);
	} else if (!literal || (word->roles & here)) {
		if (literal)
			one = lies_in(a, g, text.seg->p, text.seg->n, false);
		w->may_operand |= !literal || (word->roles & CMD_W_OPERAND);
		w->operand |= literal && (a->broad ? (word->roles & CMD_W_OPERAND) != 0 :
						     word->roles == CMD_W_OPERAND);
		take(a, w, one, literal, !(word->roles & ~here));
	}
	a->l->pool = pool;
}

/* Is there an operand, and does each operand and each option's value lie there? */
static struct guard_says within(const struct asked *a, const struct pb_guard *g)
{
	bool appends = a->p->flags & CMD_APPENDS;
	struct within w = { { true, !appends }, appends, false };
	const struct cmd_option *o;
	uint32_t i;

	for (i = 1; i < a->p->nwords; i++)
		if (!is_script(a, i))
			take_word(a, g, &a->p->words[i], &w);
	for (o = a->p->options; o; o = o->next) {
		struct guard_says one = { true, false };

		if (is_script_value(a, o))
			continue;
		if (o->value)
			one = lies_in(a, g, o->value, o->value_n, false);
		if (o->value || o->value_open)
			take(a, &w, one, o->value != NULL, o->sure);
	}
	w.all.may &= w.may_operand;
	w.all.must &= w.operand;
	return w.all;
}

static struct guard_says one_guard(const struct asked *a, const struct pb_guard *g)
{
	struct guard_says r = { true, false };

	switch ((enum pb_guard_kind)g->kind) {
	case PB_G_WITH:
		r.may = any_present(a, g, Q_CAN);
		r.must = r.may && any_present(a, g, a->broad ? Q_GIVEN : Q_SURE);
		break;
	case PB_G_WITHOUT:
		r.may = !any_present(a, g, Q_SURE);
		r.must = r.may && !any_present(a, g, a->broad ? Q_HELD : Q_CAN);
		break;
	case PB_G_WITH_ONLY:
		r = with_only(a, g);
		break;
	case PB_G_WITHIN:
		r = within(a, g);
		break;
	}
	r.must &= r.may;
	return r;
}

struct guard_says guard_all(struct line_ctx *l, const struct cmd_part *p,
			    const struct pb_clause *c)
{
	const struct pb_matcher *m = l->c->b->matcher;
	struct asked a = { l, m, l->world.facts, p, c->broad };
	struct guard_says r = { true, true }, one;
	uint32_t i;

	for (i = c->guard; i < c->guard + c->nguards && r.may; i++) {
		one = one_guard(&a, pb_at(m, m->guards, sizeof(struct pb_guard), i));
		r.may &= one.may;
		r.must &= one.must;
	}
	return r;
}
