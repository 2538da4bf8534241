/*
 * Reads the tables of commands back: proves them equal to the patterns and the
 * guards of the IR, and prints them.
 */
#include "compiler/record/automaton.h"
#include "compiler/backend/matcher/internal.h"
#include "compiler/sets/lang.h"

#define VERIFY_BUDGET ((size_t)1 << 20)

static const void *record(const struct pb_matcher *m, struct pb_table t, size_t size,
			  uint32_t i)
{
	return (const uint8_t *)m + t.off + (size_t)i * size;
}

static struct str text_of(const struct pb_matcher *m, struct pb_str s)
{
	return (struct str){ (const char *)m + s.off, s.len };
}

struct verify {
	struct arena *a;
	const struct pb_matcher *m;
	struct matcher_calls calls;
	uint32_t next_name, next_path; /* next of guard_options, of guard_paths */
	uint32_t next_word;            /* of words */
	uint32_t next_guard;
};

static const char *differs(struct verify *v, const char *what, size_t i)
{
	return arena_printf(v->a, PB_MATCHER ": %s %zu is not that of the policy", what,
			    i);
}

/* --- guards --------------------------------------------------------------------- */

/* Does the next automaton of `words` have this language? */
static bool same_words(struct verify *v, uint32_t number, const struct set_re *re)
{
	struct set_tagged t = { .re = re };
	struct set_dfa d;
	struct str at;

	if (number != v->next_word++ || number >= v->m->words.count)
		return false;
	rec_automaton_read(v->a, v->m,
			  record(v->m, v->m->words, sizeof(struct pb_automaton), number),
			  &d);
	return set_dfa_equals(v->a, &d, &t, 1, VERIFY_BUDGET, &at) == SET_HOLDS;
}

static bool same_option(struct verify *v, const struct ir_option *o, enum set_side side)
{
	const struct pb_guard_option *r;
	size_t i;

	if (v->next_name >= v->m->guard_options.count)
		return false;
	r = record(v->m, v->m->guard_options, sizeof(*r), v->next_name++);
	for (i = 0; i < o->name.n && o->name.v[i].op == IR_G_BYTE; i++)
		if (r->names == PB_NO_WORDS &&
		    (i >= r->name.len ||
		     (uint8_t)text_of(v->m, r->name).p[i] != o->name.v[i].byte))
			return false;
	if (i < o->name.n) {
		if (!same_words(v, r->names, set_from_word(v->a, &o->name, side)))
			return false;
	} else if (r->names != PB_NO_WORDS || r->name.len != o->name.n) {
		return false;
	}
	if (!o->value)
		return r->values == PB_NO_WORDS;
	return same_words(v, r->values, matcher_value(v->a, o, side));
}

static bool same_path(struct verify *v, const struct ir_path *p)
{
	const struct pb_guard_path *r;

	if (v->next_path >= v->m->guard_paths.count)
		return false;
	r = record(v->m, v->m->guard_paths, sizeof(*r), v->next_path++);
	return (r->root & ~PB_PATH_WHOLE_ROOT) == (uint32_t)p->root &&
	       (r->root & PB_PATH_WHOLE_ROOT) == (p->below && !p->glob.n ? PB_PATH_WHOLE_ROOT : 0) &&
	       same_words(v, r->words, set_from_path(v->a, p));
}

static bool same_guard(struct verify *v, const struct ir_guard *g, enum set_side side)
{
	bool within = g->kind == IR_GD_WITHIN;
	const struct pb_guard *r;
	size_t i, n = within ? g->npaths : g->noptions;

	if (v->next_guard >= v->m->guards.count)
		return false;
	r = record(v->m, v->m->guards, sizeof(*r), v->next_guard++);
	if (r->kind != (uint32_t)g->kind || r->count != n ||
	    r->first != (within ? v->next_path : v->next_name))
		return false;
	for (i = 0; i < n; i++)
		if (!(within ? same_path(v, &g->paths[i]) :
			       same_option(v, &g->options[i], side)))
			return false;
	return true;
}

static const char *verify_clauses(struct verify *v)
{
	size_t i, k;

	if (v->m->clauses.count != v->calls.clauses.n)
		return PB_MATCHER ": clauses are missing";
	for (i = 0; i < v->calls.clauses.n; i++) {
		const struct matcher_clause *c = &v->calls.clauses.v[i];
		const struct pb_clause *r =
			record(v->m, v->m->clauses, sizeof(*r), (uint32_t)i);

		if (r->rule != c->rule || r->except != c->except ||
		    r->broad != c->broad || r->sure != c->sure || r->regex != c->c->regex ||
		    r->nguards != c->c->nguards || r->guard != v->next_guard)
			return differs(v, "clause", i);
		for (k = 0; k < c->c->nguards; k++)
			if (!same_guard(v, &c->c->guards[k],
					matcher_guard_side(c->broad, &c->c->guards[k])))
				return differs(v, "a guard of clause", i);
	}
	return NULL;
}

/* --- names ---------------------------------------------------------------------- */

static bool has_only(const struct set_dfa *d, uint32_t tag)
{
	size_t k;

	for (k = 0; k < d->ntags; k++)
		if (d->tags[k] != tag)
			return false;
	return true;
}

/* Each of the last `rare` automata carries only the tag of the language whose needle
 * stands for it. */
static const char *verify_side(struct verify *v, const struct matcher_group *g,
			       uint32_t first, uint32_t n, uint32_t rare)
{
	static const char other[] = PB_MATCHER
		": an automaton has another needle than the policy";
	bool *done = arena_array(v->a, g->langs.n + 1, sizeof(*done));
	const char *why = NULL;
	uint32_t i, anchored = n - rare;
	size_t k;

	if (rare != g->needles.n || rare > n)
		return other;
	for (i = 0; i < n && !why; i++) {
		struct set_dfa d;

		rec_automaton_read(v->a, v->m,
				  record(v->m, v->m->commands, sizeof(struct pb_automaton),
					 first + i),
				  &d);
		if (i >= anchored &&
		    !has_only(&d, g->langs.v[g->nanchored + i - anchored].tag))
			return other;
		why = matcher_differs(g, &d, first + i, done, v->a);
	}
	for (k = 0; k < g->langs.n && !why; k++)
		if (!done[k] && set_member(v->a, g->langs.v[k].re, NULL,
					   SET_DEFAULT_BUDGET, NULL) != SET_HOLDS)
			return differs(v, "clause", g->langs.v[k].tag);
	return why;
}

static bool is_found(struct verify *v, uint32_t name)
{
	const struct pb_name *r = record(v->m, v->m->names, sizeof(*r), name);
	const uint32_t *slots = record(v->m, v->m->slots, 4, 0);
	uint32_t mask = v->m->slots.count - 1, k;

	for (k = pb_hash(text_of(v->m, r->name).p, r->name.len) & mask; slots[k];
	     k = (k + 1) & mask)
		if (slots[k] == name)
			return true;
	return false;
}

static const char *verify_names(struct verify *v)
{
	const char *why = NULL;
	uint32_t i;

	if (v->m->names.count != v->calls.names.n)
		return PB_MATCHER ": names are missing";
	for (i = 0; i < v->m->names.count && !why; i++) {
		struct matcher_name *n = v->calls.names.v[i];
		const struct pb_name *r = record(v->m, v->m->names, sizeof(*r), i);

		if (!str_eq(text_of(v->m, r->name), n->name) ||
		    (i >= PB_NAME_FIRST && !is_found(v, i)))
			return differs(v, "name", i);
		n->first[0] = r->narrow;
		n->n[0] = r->nnarrow;
		n->first[1] = r->broad;
		n->n[1] = r->nbroad;
		why = verify_side(v, &n->side[0], r->narrow, r->nnarrow, r->narrow_rare);
		if (!why)
			why = verify_side(v, &n->side[1], r->broad, r->nbroad,
					  r->broad_rare);
	}
	return why;
}

static bool same_table(struct verify *v, struct pb_table t, const void *p, size_t n,
		       size_t size)
{
	return t.count == n && (!n || memcmp(record(v->m, t, size, 0), p, n * size) == 0);
}

/* matcher_set_apart() has already proved that each language needs its needle. */
static const char *verify_needles(struct verify *v)
{
	struct matcher_needles n;
	uint32_t i;

	matcher_needles(v->a, &v->calls, &n);
	if (v->m->needles.count != n.v.n)
		return PB_MATCHER ": needles are missing";
	for (i = 0; i < n.v.n; i++) {
		const struct pb_needle *r = record(v->m, v->m->needles, sizeof(*r), i);

		if (!str_eq(text_of(v->m, r->text), n.text.v[i]) ||
		    r->automaton != n.v.v[i].automaton || r->gram != n.v.v[i].gram ||
		    r->flags != n.v.v[i].flags)
			return differs(v, "needle", i);
	}
	if (!same_table(v, v->m->needle_order, n.order, n.v.n, sizeof(*n.order)) ||
	    !same_table(v, v->m->grams, n.slots, n.nslots, sizeof(*n.slots)) ||
	    v->m->gram_sizes != n.sizes)
		return PB_MATCHER ": needles are not found";
	return NULL;
}

static const char *verify_regexes(struct verify *v)
{
	size_t i;

	if (v->m->regexes.count != v->calls.opaque.n)
		return PB_MATCHER ": regular expressions are missing";
	for (i = 0; i < v->calls.opaque.n; i++) {
		const struct ir_command *c =
			v->calls.clauses.v[v->calls.opaque.v[i]].c;
		const struct pb_regex *r =
			record(v->m, v->m->regexes, sizeof(*r), (uint32_t)i);

		if (r->clause != v->calls.opaque.v[i] ||
		    !str_eq(text_of(v->m, r->text), c->text) ||
		    r->flags != ((c->regex_i ? PB_RX_CASELESS : 0u) |
				 (c->regex_x ? PB_RX_EXTENDED : 0u)))
			return differs(v, "regular expression", i);
	}
	return NULL;
}

const char *matcher_calls_verify(const struct ir *ir, const struct pb_matcher *m,
				 struct arena *a)
{
	struct verify v = { .a = a, .m = m };
	const char *why;

	matcher_calls(a, ir, &v.calls);
	why = verify_clauses(&v);
	why = why ? why : verify_names(&v);
	why = why ? why : verify_needles(&v);
	return why ? why : verify_regexes(&v);
}

/* --- print -------------------------------------------------------------------- */

static void print_guard(FILE *out, const struct pb_matcher *m, const struct pb_guard *g)
{
	static const char *const words[] = { "with", "without", "with only", "within" };
	uint32_t i;

	fprintf(out, " %s", words[g->kind]);
	for (i = g->first; i < g->first + g->count; i++) {
		const struct pb_guard_option *o;
		const struct pb_guard_path *p;

		if (g->kind == PB_G_WITHIN) {
			p = record(m, m->guard_paths, sizeof(*p), i);
			fprintf(out, "%s a path under %s", i > g->first ? "," : "",
				ir_root_name((enum ir_root)(p->root & ~PB_PATH_WHOLE_ROOT)));
			continue;
		}
		o = record(m, m->guard_options, sizeof(*o), i);
		fprintf(out, "%s %.*s%s", i > g->first ? "," : "",
			STR_ARG(text_of(m, o->name)),
			o->values != PB_NO_WORDS ? " with a value" : "");
	}
}

/* Facts have many clauses and few guards, so only facts with guards are shown. */
static void print_clauses(FILE *out, const struct pb_matcher *m, uint32_t ir_rules)
{
	uint32_t i, k;

	for (i = 0; i < m->clauses.count; i++) {
		const struct pb_clause *c = record(m, m->clauses, sizeof(*c), i);

		if (c->rule >= ir_rules && !c->nguards)
			continue;
		fprintf(out, "  clause %u: ", i);
		if (c->rule == PB_NO_RULE)
			fprintf(out, "inert");
		else
			fprintf(out, "rule %u", c->rule);
		fprintf(out, "%s, %s%s", c->except ? " except" : "",
			c->broad ? "broad" : "narrow", c->regex ? ", regex" : "");
		for (k = c->guard; k < c->guard + c->nguards; k++)
			print_guard(out, m,
				    record(m, m->guards, sizeof(struct pb_guard), k));
		fputc('\n', out);
	}
}

static void print_needles(FILE *out, const struct pb_matcher *m)
{
	uint32_t i;

	for (i = 0; i < m->needles.count; i++) {
		const struct pb_needle *e = record(m, m->needles, sizeof(*e), i);

		fprintf(out, "  automaton %u of commands only where \"%.*s\" stands\n",
			e->automaton, STR_ARG(text_of(m, e->text)));
	}
}

void matcher_calls_print(FILE *out, const struct pb_matcher *m, uint32_t ir_rules)
{
	uint32_t i, states = 0;

	for (i = 0; i < m->commands.count; i++) {
		const struct pb_automaton *a =
			record(m, m->commands, sizeof(*a), i);

		states += a->nstates;
	}
	fprintf(out,
		"commands: %u clauses under %u names, %u automata of %u states\n",
		m->clauses.count, m->names.count - PB_NAME_FIRST, m->commands.count,
		states);
	print_needles(out, m);
	print_clauses(out, m, ir_rules);
}
