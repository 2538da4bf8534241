/*
 * Decides which clauses the rules and facts about commands have, and which automata
 * answer for them.  A pattern that spells out its program is filed under the name of
 * that program, so that a decision looks at few patterns even if there are many rules.
 */
#include "compiler/backend/matcher/internal.h"
#include "compiler/base/map.h"
#include "compiler/sets/regex.h"

/* The most programs that one pattern may spell out ("{npm|yarn} test"). */
#define MAX_SPELLED 32

struct collect {
	struct matcher_calls *to;
	struct map names;
};

static struct matcher_name *new_name(struct matcher_calls *to, struct str name)
{
	struct matcher_name *n = ARENA_NEW(to->a, struct matcher_name);

	n->name = name;
	n->side[0].key.kind = n->side[1].key.kind = PB_COMMAND;
	n->side[0].together = n->side[1].together = true;
	VEC_PUSH(to->a, &to->names, n);
	return n;
}

static struct matcher_name *name_of(struct collect *c, struct str name)
{
	struct matcher_name *n = map_get(&c->names, name);

	if (!n) {
		n = new_name(c->to, name);
		(void)map_put(&c->names, name, n);
	}
	return n;
}

static void add(struct matcher_calls *to, struct matcher_name *n, bool broad,
		uint32_t clause, struct set_re *re)
{
	struct set_tagged t = { .re = re, .tag = clause };

	matcher_add_call(to->a, &n->side[broad], to->clauses.v[clause].c, t);
}

/* --- names that a glob spells ---------------------------------------------------- */

struct spelled {
	struct arena *a;
	struct str v[MAX_SPELLED];
	size_t n;
};

/* Appends what the items spell to each of the texts; false: there are too many. */
static bool spell(struct spelled *s, const struct ir_glob *g)
{
	size_t i, k, x;

	for (i = 0; i < g->n; i++) {
		const struct ir_glob_item *it = &g->v[i];
		struct spelled before = *s;

		if (it->op == IR_G_BYTE) {
			for (k = 0; k < s->n; k++)
				s->v[k] = str_printf(s->a, "%.*s%c", STR_ARG(s->v[k]),
						     it->byte);
			continue;
		}
		if (it->op != IR_G_ALT)
			return false;
		s->n = 0;
		for (k = 0; k < it->nalts; k++) {
			struct spelled one = before;

			if (!spell(&one, &it->alts[k]) || s->n + one.n > MAX_SPELLED)
				return false;
			for (x = 0; x < one.n; x++)
				s->v[s->n++] = one.v[x];
		}
	}
	return true;
}

static struct str base_of(struct str s)
{
	size_t i = s.n;

	while (i > 0 && s.p[i - 1] != '/')
		i--;
	return str_sub(s, i, s.n - i);
}

/*
 * The names under which the clause is filed; false: it is asked about for every
 * program.  An allow that spells a '/' is about one file, so it has no name.
 */
static bool names_of(struct arena *a, const struct ir_command *c, bool broad,
		     struct spelled *ret)
{
	struct spelled s = { .a = a, .v = { STR("") }, .n = 1 };
	size_t i, k, o = 0;

	if (!c->nwords || c->words[0].any_words ||
	    (c->more && broad && c->nwords == 1) || !spell(&s, &c->words[0].glob))
		return false;
	for (i = 0; i < s.n; i++) {
		if (!broad && memchr(s.v[i].p, '/', s.v[i].n))
			return false;
		s.v[o] = base_of(s.v[i]);
		for (k = 0; k < o && !str_eq(s.v[k], s.v[o]); k++)
			;
		o += k == o;
	}
	s.n = o;
	*ret = s;
	return true;
}

/* --- clauses ---------------------------------------------------------------------- */

static void add_words(struct collect *c, const struct matcher_clause *m, uint32_t clause)
{
	struct matcher_calls *to = c->to;
	enum set_side side = m->broad ? SET_BROAD : SET_NARROW;
	struct spelled s;
	struct set_re *re;
	size_t i;

	if (!names_of(to->a, m->c, m->broad, &s)) {
		add(to, to->names.v[PB_NAME_ANY], m->broad, clause,
		    set_from_call(to->a, m->c, side));
		return;
	}
	re = set_from_rest(to->a, m->c, side);
	for (i = 0; i < s.n; i++) {
		add(to, name_of(c, s.v[i]), m->broad, clause, re);
		/* "npm:*" also matches the program "npm:ci" */
		if (m->c->tail && m->c->nwords == 1)
			add(to, name_of(c, str_printf(to->a, "%.*s:/", STR_ARG(s.v[i]))),
			    m->broad, clause, re);
	}
}

/* A regex that has no automaton of acceptable size is left to PCRE2. */
static void add_regex(struct matcher_calls *to, const struct matcher_clause *m,
		      uint32_t clause)
{
	unsigned flags = (m->c->regex_i ? (unsigned)SET_REGEX_I : 0) |
			 (m->c->regex_x ? (unsigned)SET_REGEX_X : 0) |
			 (m->broad ? 0 : (unsigned)SET_REGEX_DOLLAR_END);
	struct set_re *re;
	const char *why;
	size_t at;

	if (m->c->opaque ||
	    set_from_regex(to->a, m->c->text, flags, &re, &at, &why) != SET_REGEX_OK)
		VEC_PUSH(to->a, &to->opaque, clause);
	else
		add(to, to->names.v[PB_NAME_REGEX], m->broad, clause, re);
}

static void add_clause(struct collect *c, struct matcher_clause m)
{
	uint32_t clause = (uint32_t)c->to->clauses.n;

	VEC_PUSH(c->to->a, &c->to->clauses, m);
	if (m.c->regex)
		add_regex(c->to, &m, clause);
	else
		add_words(c, &m, clause);
}

static void add_set(struct collect *c, uint32_t rule, bool broad, bool sure,
		    const struct ir_set *set, const struct ir_set *except, size_t nexcept,
		    const struct ir_place *at)
{
	struct matcher_clause m = { .rule = rule, .broad = broad, .sure = sure, .at = at,
				    .c = &set->u.command };
	size_t i;

	add_clause(c, m);
	m.except = true;
	m.broad = m.sure = !broad;
	for (i = 0; i < nexcept; i++) {
		m.c = &except[i].u.command;
		add_clause(c, m);
	}
}

void matcher_calls(struct arena *a, const struct ir *ir, struct matcher_calls *ret)
{
	struct matcher_calls to = { .a = a, .built.a = a };
	struct collect c = { .to = &to };
	size_t i;

	map_init(&c.names, a);
	/* each may begin again at every '/': split up, the cost is linear */
	new_name(&to, STR(""))->side[1].together = false; /* PB_NAME_ANY */
	(void)new_name(&to, STR("")); /* PB_NAME_REGEX */
	for (i = 0; i < ir->rules.n; i++) {
		const struct ir_rule *r = ir->rules.v[i];

		if (r->kind == IR_COMMAND && r->scopes)
			add_set(&c, (uint32_t)i, r->effect != IR_ALLOW,
				r->effect >= IR_DENY, &r->set, r->except, r->nexcept,
				&r->at);
	}
	for (i = 0; i < ir->risks.n; i++) {
		const struct ir_risk_fact *f = &ir->risks.v[i];

		if (f->kind == IR_COMMAND)
			add_set(&c, (uint32_t)(ir->rules.n + IR_SCALAR_COUNT + i),
				f->risk != IR_RISK_LOW, false, &f->set, f->except,
				f->nexcept, &f->at);
	}
	for (i = 0; i < ir->inert.n; i++)
		add_set(&c, PB_NO_RULE, false, false, &ir->inert.v[i].set,
			ir->inert.v[i].except, ir->inert.v[i].nexcept,
			&ir->inert.v[i].at);
	/* the narrow side of PB_NAME_ANY is asked about the program's file as well */
	for (i = 0; i < to.names.n; i++) {
		matcher_set_apart(a, &to.names.v[i]->side[0], i != PB_NAME_ANY);
		matcher_set_apart(a, &to.names.v[i]->side[1], true);
	}
	*ret = to;
}

bool matcher_calls_build(struct matcher_calls *c, uint32_t *ret_tag)
{
	size_t i;
	int side;

	for (i = 0; i < c->names.n; i++) {
		struct matcher_name *n = c->names.v[i];

		for (side = 0; side < 2; side++) {
			n->first[side] = (uint32_t)c->built.v.n;
			if (!matcher_build(&c->built, &n->side[side], ret_tag))
				return false;
			n->n[side] = (uint32_t)c->built.v.n - n->first[side];
		}
	}
	return true;
}
