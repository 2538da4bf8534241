/*
 * Writes the tables of commands: clauses, names and the table that finds names,
 * guards, and the automata of all of them.
 */
#include "compiler/record/automaton.h"
#include "compiler/backend/matcher/internal.h"
#include "compiler/backend/common/util.h"
#include "compiler/sets/lang.h"

#define WORD_STATES 65536 /* for the name or value of an option, or a path */

struct writer {
	const struct matcher_calls *c;
	struct arena *a;
	struct rec_pool pool;
	VEC(struct pb_clause) clauses;
	VEC(struct pb_guard) guards;
	VEC(struct pb_guard_option) options;
	VEC(struct str) names; /* of options */
	VEC(struct pb_guard_path) paths;
	VEC(struct set_dfa) words;
	bool failed; /* an automaton of words is too large */
};

_Static_assert((int)PB_G_WITH == (int)IR_GD_WITH &&
		       (int)PB_G_WITHOUT == (int)IR_GD_WITHOUT &&
		       (int)PB_G_WITH_ONLY == (int)IR_GD_WITH_ONLY &&
		       (int)PB_G_WITHIN == (int)IR_GD_WITHIN, "kinds of guards");

/* --- guards ------------------------------------------------------------------ */

static uint32_t put_words(struct writer *w, const struct set_re *re)
{
	struct set_tagged t = { .re = re };
	struct set_dfa d;

	if (set_dfa_build(w->a, &t, 1, WORD_STATES, &d) != SET_HOLDS) {
		w->failed = true;
		return PB_NO_WORDS;
	}
	VEC_PUSH(w->a, &w->words, d);
	return (uint32_t)w->words.n - 1;
}

struct set_re *matcher_value(struct arena *a, const struct ir_option *o,
			     enum set_side side)
{
	return set_cat(a, set_from_word(a, o->value, side), set_byte(a, 0));
}

enum set_side matcher_guard_side(bool broad, const struct ir_guard *g)
{
	return broad != (g->kind == IR_GD_WITHOUT) ? SET_BROAD : SET_NARROW;
}

static struct str spelled(struct arena *a, const struct ir_glob *g)
{
	struct buf b;
	size_t i;

	buf_init(&b, a);
	for (i = 0; i < g->n; i++) {
		if (g->v[i].op != IR_G_BYTE)
			return STR_NULL;
		buf_ch(&b, (char)g->v[i].byte);
	}
	return buf_view(&b);
}

static void put_option(struct writer *w, const struct ir_option *o, enum set_side side)
{
	struct pb_guard_option r = { .names = PB_NO_WORDS, .values = PB_NO_WORDS };
	struct str name = spelled(w->a, &o->name);

	if (!name.p) {
		name = o->text;
		r.names = put_words(w, set_from_word(w->a, &o->name, side));
	}
	if (o->value)
		r.values = put_words(w, matcher_value(w->a, o, side));
	VEC_PUSH(w->a, &w->names, name);
	VEC_PUSH(w->a, &w->options, r);
}

/* Is it a root with all that is below it? */
static uint32_t root_of(const struct ir_path *p)
{
	return (uint32_t)p->root | (p->below && !p->glob.n ? PB_PATH_WHOLE_ROOT : 0);
}

static void put_guard(struct writer *w, const struct ir_guard *g, enum set_side side)
{
	bool within = g->kind == IR_GD_WITHIN;
	struct pb_guard r = { .kind = (uint32_t)g->kind };
	size_t i;

	r.first = (uint32_t)(within ? w->paths.n : w->options.n);
	r.count = (uint32_t)(within ? g->npaths : g->noptions);
	for (i = 0; i < r.count; i++) {
		struct pb_guard_path p;

		if (!within) {
			put_option(w, &g->options[i], side);
			continue;
		}
		p.root = root_of(&g->paths[i]);
		p.words = put_words(w, set_from_path(w->a, &g->paths[i]));
		VEC_PUSH(w->a, &w->paths, p);
	}
	VEC_PUSH(w->a, &w->guards, r);
}

static void put_clause(struct writer *w, const struct matcher_clause *m)
{
	struct pb_clause r = { .rule = m->rule, .except = m->except, .broad = m->broad, .sure = m->sure,
			       .regex = m->c->regex, .guard = (uint32_t)w->guards.n,
			       .nguards = (uint32_t)m->c->nguards };
	size_t i;

	for (i = 0; i < m->c->nguards; i++)
		put_guard(w, &m->c->guards[i], matcher_guard_side(m->broad, &m->c->guards[i]));
	VEC_PUSH(w->a, &w->clauses, r);
}

/* --- tables -------------------------------------------------------------------- */

static struct pb_table put_table(struct buf *out, const void *v, size_t n, size_t size)
{
	struct pb_table t = { 0, (uint32_t)n };

	buf_align(out, 8);
	t.off = (uint32_t)out->n;
	if (n)
		buf_add(out, v, n * size);
	buf_align(out, 8);
	return t;
}

static struct pb_table put_automata(struct writer *w, struct rec_tables *tables,
				    const struct set_dfa *const *v, size_t n)
{
	struct pb_automaton *r = arena_array(w->a, n + 1, sizeof(*r));
	struct pb_table t = put_table(tables->out, r, n, sizeof(*r));
	size_t i;

	for (i = 0; i < n; i++) {
		r[i].kind = PB_COMMAND;
		rec_automaton_put(tables, v[i], &r[i]);
	}
	if (n)
		memcpy(tables->out->p + t.off, r, n * sizeof(*r));
	return t;
}

static struct pb_table put_names(struct writer *w, struct buf *out)
{
	const struct matcher_calls *c = w->c;
	struct pb_name *r = arena_array(w->a, c->names.n, sizeof(*r));
	size_t i;

	for (i = 0; i < c->names.n; i++) {
		const struct matcher_name *n = c->names.v[i];

		r[i] = (struct pb_name){ .name = rec_pool_add(&w->pool, n->name),
					 .narrow = n->first[0], .nnarrow = n->n[0],
					 .broad = n->first[1], .nbroad = n->n[1] };
		r[i].narrow_rare = (uint32_t)n->side[0].needles.n;
		r[i].broad_rare = (uint32_t)n->side[1].needles.n;
	}
	return put_table(out, r, c->names.n, sizeof(*r));
}

static struct pb_table put_slots(struct writer *w, struct buf *out)
{
	const struct matcher_calls *c = w->c;
	uint32_t n = 8, *v, i, k;

	while (n < 2 * c->names.n)
		n *= 2;
	v = arena_array(w->a, n, sizeof(*v));
	for (i = PB_NAME_FIRST; i < c->names.n; i++) {
		struct str s = c->names.v[i]->name;

		for (k = pb_hash(s.p, (uint32_t)s.n) & (n - 1); v[k];
		     k = (k + 1) & (n - 1))
			;
		v[k] = i;
	}
	return put_table(out, v, n, sizeof(*v));
}

static struct pb_table put_regexes(struct writer *w, struct buf *out)
{
	const struct matcher_calls *c = w->c;
	struct pb_regex *r = arena_array(w->a, c->opaque.n + 1, sizeof(*r));
	size_t i;

	for (i = 0; i < c->opaque.n; i++) {
		const struct ir_command *p = c->clauses.v[c->opaque.v[i]].c;

		r[i] = (struct pb_regex){ .text = rec_pool_add(&w->pool, p->text),
					  .clause = c->opaque.v[i] };
		r[i].flags = (p->regex_i ? PB_RX_CASELESS : 0u) |
			     (p->regex_x ? PB_RX_EXTENDED : 0u);
	}
	return put_table(out, r, c->opaque.n, sizeof(*r));
}

static void put_automata_of(struct writer *w, struct pb_matcher *head,
			    struct rec_tables *tables)
{
	const struct matcher_builts *b = &w->c->built;
	const struct set_dfa **v = arena_array(w->a, b->v.n + w->words.n + 1, sizeof(*v));
	size_t i;

	for (i = 0; i < b->v.n; i++) {
		v[i] = &b->v.v[i].dfa;
		if (v[i]->nstates > head->max_states)
			head->max_states = v[i]->nstates;
	}
	head->commands = put_automata(w, tables, v, b->v.n);
	for (i = 0; i < w->words.n; i++)
		v[i] = &w->words.v[i];
	head->words = put_automata(w, tables, v, w->words.n);
}

bool matcher_calls_put(const struct matcher_calls *c, struct pb_matcher *head,
		       struct rec_tables *tables)
{
	struct buf *out = tables->out;
	struct writer w = { .c = c, .a = c->a };
	struct matcher_needles needles;
	struct buf strings;
	size_t i;

	for (i = 0; i < c->clauses.n; i++)
		put_clause(&w, &c->clauses.v[i]);
	put_automata_of(&w, head, tables);
	/* the string pool, then the tables that point into it */
	buf_align(out, 8);
	rec_pool_init(&w.pool, c->a, out->n);
	for (i = 0; i < w.options.n; i++)
		w.options.v[i].name = rec_pool_add(&w.pool, w.names.v[i]);
	for (i = 0; i < c->names.n; i++)
		(void)rec_pool_add(&w.pool, c->names.v[i]->name);
	for (i = 0; i < c->opaque.n; i++)
		(void)rec_pool_add(&w.pool, c->clauses.v[c->opaque.v[i]].c->text);
	matcher_needles(c->a, c, &needles);
	for (i = 0; i < needles.v.n; i++)
		needles.v.v[i].text = rec_pool_add(&w.pool, needles.text.v[i]);
	strings = w.pool.bytes;
	buf_add(out, strings.p, strings.n);
	head->clauses = put_table(out, w.clauses.v, w.clauses.n, sizeof(*w.clauses.v));
	head->names = put_names(&w, out);
	head->slots = put_slots(&w, out);
	head->guards = put_table(out, w.guards.v, w.guards.n, sizeof(*w.guards.v));
	head->guard_options = put_table(out, w.options.v, w.options.n,
					sizeof(*w.options.v));
	head->guard_paths = put_table(out, w.paths.v, w.paths.n, sizeof(*w.paths.v));
	head->regexes = put_regexes(&w, out);
	head->needles = put_table(out, needles.v.v, needles.v.n, sizeof(*needles.v.v));
	head->needle_order = put_table(out, needles.order, needles.v.n,
				       sizeof(*needles.order));
	head->grams = put_table(out, needles.slots, needles.nslots, sizeof(*needles.slots));
	head->gram_sizes = needles.sizes;
	return !w.failed;
}

/* An upper bound.  The automata of guards are small or refused. */
size_t matcher_calls_size(const struct matcher_calls *c)
{
	size_t n = matcher_size(&c->built), i;

	for (i = 0; i < c->names.n; i++) {
		const struct matcher_name *m = c->names.v[i];

		n += sizeof(struct pb_name) + 16 + m->name.n;
		n += (m->side[0].needles.n + m->side[1].needles.n) * (PB_MAX_NEEDLE + 128);
	}
	return n + c->clauses.n * sizeof(struct pb_clause);
}
