/*
 * Merges what all levels say about one program.  ir.programs is sorted by level, so the
 * first statement that we find ranks highest.
 */
#include "compiler/lower/facts_merge.h"

#include <assert.h>
#include <stdlib.h>

#include "compiler/base/map.h"

/* --- small sorted lists ------------------------------------------------------ */

static struct merged_option *option_of(struct arena *a, struct merged_program *p,
				       struct str name)
{
	struct merged_option o = { .name = name };
	size_t i = 0, end = p->options.n, k;

	while (i < end) {
		size_t mid = i + (end - i) / 2;

		if (str_cmp(p->options.v[mid].name, name) < 0)
			i = mid + 1;
		else
			end = mid;
	}
	if (i < p->options.n && str_eq(p->options.v[i].name, name))
		return &p->options.v[i];
	o.same = UINT32_MAX;
	VEC_PUSH(a, &p->options, o);
	for (k = p->options.n - 1; k > i; k--)
		p->options.v[k] = p->options.v[k - 1];
	p->options.v[i] = o;
	return &p->options.v[i];
}

static struct merged_code *code_of(struct arena *a, struct merged_program *p,
				   uint32_t kind, uint32_t operand)
{
	struct merged_code c = { .kind = kind, .operand = operand };
	size_t i = 0, k;

	while (i < p->codes.n && (p->codes.v[i].kind < kind ||
				  (p->codes.v[i].kind == kind && p->codes.v[i].operand < operand)))
		i++;
	if (i < p->codes.n && p->codes.v[i].kind == kind && p->codes.v[i].operand == operand)
		return &p->codes.v[i];
	VEC_PUSH(a, &p->codes, c);
	for (k = p->codes.n - 1; k > i; k--)
		p->codes.v[k] = p->codes.v[k - 1];
	p->codes.v[i] = c;
	return &p->codes.v[i];
}

/* The index of the word in a sorted list, or where to insert it. */
static size_t place_of(const struct str *v, size_t n, struct str word, bool *ret_there)
{
	size_t i = 0;

	while (i < n && str_cmp(v[i], word) < 0)
		i++;
	*ret_there = i < n && str_eq(v[i], word);
	return i;
}

#define ADD_WORD(a, list, word)                                              \
	do {                                                                 \
		bool there_;                                                 \
		size_t i_ = place_of((list)->v, (list)->n, (word), &there_); \
		if (there_)                                                  \
			break;                                               \
		VEC_PUSH((a), (list), (word));                               \
		for (size_t k_ = (list)->n - 1; k_ > i_; k_--)               \
			(list)->v[k_] = (list)->v[k_ - 1];                   \
		(list)->v[i_] = (word);                                      \
	} while (0)

/* --- one statement ------------------------------------------------------------- */

static int when_order(const struct ir_when *x, const struct ir_when *y)
{
	int r = str_cmp(x->text, y->text);

	return r != 0 ? r : ((int)x->i - (int)y->i) * 2 + (int)x->x - (int)y->x;
}

/* Sorted, so that the order of statements means nothing. */
static void add_when(struct arena *a, struct merged_when *m, const struct ir_when *w)
{
	size_t i;

	if (!w->is)
		m->always = true;
	for (i = 0; i < m->any.n; i++)
		if (when_order(m->any.v[i], w) == 0)
			return;
	if (!w->is)
		return;
	VEC_PUSH(a, &m->any, w);
	for (; i > 0 && when_order(m->any.v[i - 1], w) > 0; i--)
		m->any.v[i] = m->any.v[i - 1];
	m->any.v[i] = w;
}

/*
 * If statements of one level disagree about what an option takes, each may be right: the
 * subcommands of tmux have a flag `-L`, and tmux itself a `-L NAME`.  Both readings count
 * then, as in the reading where NAME is the subcommand a denied one would be hidden.
 */
static void add_option(struct arena *a, struct merged_program *p,
		       const struct ir_optspec *o, enum ir_level level)
{
	struct merged_option *m = option_of(a, p, o->name);

	if (o->says_takes && !m->given) {
		m->given = true;
		m->level = level;
		m->takes = (uint8_t)o->takes;
	} else if (o->says_takes && m->level == level && m->takes != o->takes) {
		m->takes = LINE_TAKES_EITHER;
	}
	m->flags |= o->flags;
	if (o->flags & LINE_OF_CODE)
		add_when(a, &m->when, &o->when);
}

/* All names in one specification are the same option, even if other statements connect
 * them.  All get the number of the first. */
static void join_same(struct merged_program *p, struct arena *a,
		      const struct ir_program *s)
{
	for (size_t i = 1; i < s->noptions; i++) {
		uint32_t x, y;

		if (s->options[i].same != s->options[i - 1].same)
			continue;
		x = option_of(a, p, s->options[i - 1].name)->same;
		y = option_of(a, p, s->options[i].name)->same;
		for (size_t k = 0; k < p->options.n; k++)
			if (p->options.v[k].same == (x > y ? x : y))
				p->options.v[k].same = x > y ? y : x;
	}
}

#define TAKES_VALUE                                                               \
	(LINE_OF_CODE | LINE_OF_MOVES | LINE_OF_RUNS | LINE_OF_LEADS | LINE_OF_READS |      \
	 LINE_OF_WRITES | LINE_OF_SCRIPT | LINE_OF_BEGINS)
#define ABOUT_COMMAND \
	((TAKES_VALUE & ~(unsigned)LINE_OF_CODE) | LINE_OF_TREES | LINE_OF_INSTEAD | LINE_OF_EDITS | \
	 LINE_OF_BELOW | LINE_OF_UNPACKS | LINE_OF_NAMES)

/* Flags about a wrapper's command and about files hold for all names of the option. */
static void share_flags(struct merged_program *p)
{
	for (size_t i = 0; i < p->options.n; i++)
		for (size_t k = 0; k < p->options.n; k++)
			if (p->options.v[k].same == p->options.v[i].same)
				p->options.v[k].flags |=
					p->options.v[i].flags & ABOUT_COMMAND;
}

static void add_statement(struct arena *a, struct merged_program *p,
			  const struct ir_program *s)
{
	p->kinds |= s->kind;
	p->flags |= s->flags;
	if (s->skip && !p->skip_said) {
		p->skip = s->skip;
		p->skip_said = true;
	}
	for (size_t i = 0; i < s->noptions; i++)
		add_option(a, p, &s->options[i], s->level);
	for (size_t i = 0; i < s->ncodes; i++)
		add_when(a, &code_of(a, p, s->codes[i].kind, s->codes[i].operand)->when,
			 &s->codes[i].when);
	for (size_t i = 0; i < s->nafter; i++)
		ADD_WORD(a, &p->after, s->after[i]);
	for (size_t i = 0; i < s->nends; i++)
		ADD_WORD(a, &p->ends, s->ends[i]);
	/* of a program, join_names() turns them round */
	for (size_t i = 0; i < s->nalso && memchr(p->name.p, ' ', p->name.n); i++)
		ADD_WORD(a, &p->also, s->also[i]);
	for (size_t i = 0; i < s->ndefaults; i++)
		ADD_WORD(a, &p->defaults, s->defaults[i]);
}

/* --- one program ---------------------------------------------------------------- */

struct given {
	VEC(const struct ir_program *) v;
	bool has_table; /* something is said of it, or of one of its subcommands */
};

/*
 * Does the table speak of files only?  Then its options are as unknown as those of a
 * program without a table: they may be cut short, take values, and name commands.
 */
static bool says_files_only(const struct merged_program *p)
{
	const uint32_t of_files = LINE_PF_MAKES_NOTHING | LINE_PF_WRITES_UNNAMED;

	return p->kinds == LINE_PK_PROGRAM && !(p->flags & ~of_files) &&
	       (p->flags || p->defaults.n) && !p->options.n && !p->codes.n &&
	       !p->after.n && !p->ends.n && !p->skip_said;
}

/* A program for which we know only subcommands gets an empty table. */
static struct merged_program merge(struct arena *a, struct str name,
				   const struct given *given)
{
	struct merged_program p = { .name = name,
				    .kinds = given->v.n || !given->has_table ? 0 : LINE_PK_PROGRAM };

	for (size_t i = 0; i < given->v.n; i++)
		add_statement(a, &p, given->v.v[i]);
	for (size_t i = 0; i < p.options.n; i++) {
		struct merged_option *o = &p.options.v[i];

		o->same = (uint32_t)i;
		if (!o->given && (o->flags & TAKES_VALUE))
			o->takes = LINE_TAKES_VALUE;
	}
	for (size_t i = 0; i < given->v.n; i++)
		join_same(&p, a, given->v.v[i]);
	share_flags(&p);
	if (says_files_only(&p))
		p.flags |= LINE_PF_FILES_ONLY;
	return p;
}

static int by_name(const void *x, const void *y)
{
	const struct merged_program *p = x, *q = y;

	return str_cmp(p->name, q->name);
}

/* --- subcommands ------------------------------------------------------------------ */

/* The parent's name: "git remote" for "git remote add"; empty: there is none. */
static struct str base_name(struct str name)
{
	while (name.n && name.p[name.n - 1] != ' ')
		name.n--;
	return name.n ? str_sub(name, 0, name.n - 1) : name;
}

static struct given *given_of(struct arena *a, struct map *names, struct str name)
{
	struct given *s = map_get(names, name);

	if (!s) {
		s = ARENA_NEW(a, struct given);
		map_put(names, name, s);
	}
	return s;
}

static const struct merged_option *option_in(const struct merged *m, uint32_t program,
					     struct str name)
{
	for (; program; program = m->programs.v[program - 1].base) {
		const struct merged_program *p = &m->programs.v[program - 1];

		for (size_t i = 0; i < p->options.n; i++)
			if (str_eq(p->options.v[i].name, name))
				return &p->options.v[i];
	}
	return NULL;
}

/*
 * Numbers the options.  An option that a base also has gets the base's number; the
 * others get the next free numbers.
 */
static void number_options(const struct merged *m, struct merged_program *p)
{
	uint32_t before = p->noptions - (uint32_t)p->options.n;

	for (size_t i = 0; i < p->options.n; i++)
		p->options.v[i].same += before;
	for (size_t i = 0; i < p->options.n; i++) {
		const struct merged_option *o =
			option_in(m, p->base, p->options.v[i].name);
		uint32_t same = p->options.v[i].same;

		if (o && !p->options.v[i].given &&
		    !(p->options.v[i].flags & ~ABOUT_COMMAND))
			p->options.v[i].takes = o->takes;
		if (o)
			p->options.v[i].flags |= o->flags & ABOUT_COMMAND;
		if (!o || same < before)
			continue;
		for (size_t k = 0; k < p->options.n; k++)
			if (p->options.v[k].same == same)
				p->options.v[k].same = o->same;
	}
}

/* The index of the program of that name, which must exist. */
static uint32_t number_of(const struct merged *m, struct str name)
{
	size_t lo = 0, hi = m->programs.n;

	while (hi - lo > 1) {
		size_t mid = lo + (hi - lo) / 2;

		if (str_cmp(m->programs.v[mid].name, name) <= 0)
			lo = mid;
		else
			hi = mid;
	}
	assert(str_eq(m->programs.v[lo].name, name));
	return (uint32_t)lo + 1;
}

/*
 * Links each subcommand to its base.  Programs are sorted by name, so a base comes
 * before its subcommands.
 */
static void join_bases(struct merged *m)
{
	for (size_t i = 0; i < m->programs.n; i++) {
		struct merged_program *p = &m->programs.v[i];
		struct str base = base_name(p->name);

		p->noptions = (uint32_t)p->options.n;
		if (!base.n)
			continue;
		p->base = number_of(m, base);
		p->noptions += m->programs.v[p->base - 1].noptions;
		p->flags |= m->programs.v[p->base - 1].flags &
			    (LINE_PF_ABBREVIATE | LINE_PF_NO_CLUSTER | LINE_PF_NO_END |
			     LINE_PF_BOOLEANS | LINE_PF_ONE_DASH);
		m->programs.v[p->base - 1].flags |= LINE_PF_SUBCOMMANDS;
		m->programs.v[p->base - 1].flags &= ~(uint32_t)LINE_PF_FILES_ONLY;
		number_options(m, p);
	}
}

/*
 * `program gcc { also c99 }`: deny and ask rules for gcc mean c99 as well, so the record of
 * c99 lists gcc.  A name of which nothing else is said has the table of that program; if
 * several programs have the name, of the first.
 */
static void join_names(struct arena *a, const struct ir *ir, struct merged *m)
{
	for (size_t i = 0; i < ir->programs.n; i++) {
		const struct ir_program *p = &ir->programs.v[i];
		uint32_t of;

		if (!p->nalso || memchr(p->name.p, ' ', p->name.n))
			continue;
		of = number_of(m, p->name);
		for (size_t k = 0; k < p->nalso; k++) {
			struct merged_program *other;

			/* a list of names that are one program has each of them */
			if (str_eq(p->also[k], p->name))
				continue;
			other = &m->programs.v[number_of(m, p->also[k]) - 1];
			ADD_WORD(a, &other->also, p->name);
			if (!other->kinds && (!other->as || of < other->as))
				other->as = of;
		}
	}
	for (size_t i = 0; i < m->programs.n; i++) {
		struct merged_program *p = &m->programs.v[i];

		if (p->as)
			p->kinds = LINE_PK_PROGRAM;
	}
}

static int by_var(const void *x, const void *y)
{
	const struct merged_var *p = x, *q = y;
	int r = str_cmp(p->name, q->name);

	return r != 0 ? r : (int)q->taint - (int)p->taint;
}

static void merge_vars(struct arena *a, const struct ir *ir, struct merged *m)
{
	size_t n = 0;

	for (size_t i = 0; i < ir->vars.n; i++) {
		struct merged_var v = { ir->vars.v[i].name, ir->vars.v[i].taint };

		VEC_PUSH(a, &m->vars, v);
	}
	if (m->vars.n)
		qsort(m->vars.v, m->vars.n, sizeof(*m->vars.v), by_var);
	for (size_t i = 0; i < m->vars.n; i++)
		if (n == 0 || !str_eq(m->vars.v[n - 1].name, m->vars.v[i].name))
			m->vars.v[n++] = m->vars.v[i];
	m->vars.n = n;
}

/* The number of records that the statements about one name produce. */
static size_t size_of(const struct given *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->v.n; i++) {
		const struct ir_program *p = s->v.v[i];

		n += p->noptions + p->ncodes + p->nafter + p->nends + p->nalso +
		     p->ndefaults;
	}
	return n;
}

bool facts_merge(struct arena *a, const struct ir *ir, struct merged *ret)
{
	struct merged m = { .vars = { NULL, 0, 0 } };
	struct map names;

	map_init(&names, a);
	for (size_t i = 0; i < ir->programs.n; i++) {
		const struct ir_program *p = &ir->programs.v[i];
		struct given *s = given_of(a, &names, p->name);

		VEC_PUSH(a, &s->v, p);
		s->has_table = true;
		for (struct str base = base_name(p->name); base.n;
		     base = base_name(base))
			given_of(a, &names, base)->has_table = true;
		for (size_t k = 0; k < p->nalso && !base_name(p->name).n; k++)
			(void)given_of(a, &names, p->also[k]);
	}
	for (size_t i = 0; i < names.n; i++) {
		struct merged_program p;

		if (size_of(names.e[i].value) > FACTS_MAX_RECORDS) {
			ret->too_large = names.e[i].key;
			return false;
		}
		p = merge(a, names.e[i].key, names.e[i].value);
		VEC_PUSH(a, &m.programs, p);
	}
	if (m.programs.n)
		qsort(m.programs.v, m.programs.n, sizeof(*m.programs.v), by_name);
	join_bases(&m);
	join_names(a, ir, &m);
	merge_vars(a, ir, &m);
	*ret = m;
	return true;
}
