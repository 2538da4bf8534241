/*
 * Writes matcher.bin.  A group that would need too many states is split into
 * several automata, all of which are asked; nothing is left out.
 */
#include "compiler/backend/automaton.h"
#include "compiler/backend/matcher/internal.h"

/* States of one automaton beyond what its patterns spell out themselves. */
#define SPARE_STATES 2048
#define SHARED_STATES 60000
#define SINGLE_STATES 262144 /* one rule alone */
/*
 * A deny of a command holds in any directory, so each of its rules may begin
 * again at every '/': a state of k of them has k positions and more, and an
 * automaton of k rules costs k * k.  In parts the whole is linear.
 */
#define COMMANDS 128
#define FLOATING 5 /* patterns of one automaton that double its states each */
#define MAX_AUTOMATA 1024   /* the reader's limit */

struct built {
	struct matcher_key key;
	struct set_dfa dfa;
};

struct emit {
	struct arena *a;
	const struct ir *ir;
	struct diag_sink *sink;
	VEC(struct built) built;
};

_Static_assert(SINGLE_STATES < PB_MAX_STATES, "a move names any state");

static size_t positions(const struct set_re *re)
{
	if (!re)
		return 0;
	if (re->op == SET_GRAPH)
		return re->graph->n;
	return (re->op == SET_CLASS) + positions(re->a) + positions(re->b);
}

static void report_too_large(struct emit *e, uint32_t tag)
{
	size_t first = e->ir->rules.n + IR_SCALAR_COUNT;
	bool risk = tag >= first;
	const struct ir_place *at = risk ? &e->ir->risks.v[tag - first].at :
					   &e->ir->rules.v[tag]->at;
	struct diag *d = diag_add(e->sink, DIAG_PLAN_LIMIT, at->span,
				  "the pattern needs more than %d states",
				  SINGLE_STATES);

	diag_help(e->sink, d, "use fewer '?' behind a '*'");
}

static bool build(struct emit *e, const struct matcher_group *g, size_t from, size_t n)
{
	const struct set_tagged *langs = g->langs.v + from;
	struct built b = { .key = g->key };
	size_t i, budget = SPARE_STATES;

	for (i = 0; i < n; i++)
		budget += 3 * (positions(langs[i].re) + positions(langs[i].minus));
	if (budget > SHARED_STATES)
		budget = SHARED_STATES;
	if (n == 1)
		budget = SINGLE_STATES;
	if (set_dfa_build(e->a, langs, n, budget, &b.dfa) == SET_HOLDS) {
		VEC_PUSH(e->a, &e->built, b);
		return true;
	}
	if (n > 1)
		return build(e, g, from, n / 2) &&
		       build(e, g, from + n / 2, n - n / 2);
	report_too_large(e, langs[0].tag);
	return false;
}

static size_t at_most(const struct matcher_group *g, size_t i)
{
	size_t left = i < g->nanchored ? g->nanchored - i : g->langs.n - i, max = left;

	if (i >= g->nanchored)
		max = FLOATING;
	else if (g->key.kind == PB_COMMAND || g->key.kind == PB_RISK)
		max = COMMANDS;
	return left < max ? left : max;
}

static bool build_group(struct emit *e, const struct matcher_group *g)
{
	size_t i, n;

	for (i = 0; i < g->langs.n; i += n) {
		n = at_most(g, i);
		if (!build(e, g, i, n))
			return false;
	}
	return true;
}

static struct pb_automaton describe(const struct built *b)
{
	return (struct pb_automaton){
		.kind = b->key.kind,
		.root = b->key.root,
		.abstract = b->key.abstract,
		.except = b->key.except,
	};
}

/* An upper bound, so that no offset can wrap. */
static size_t size_of(const struct emit *e)
{
	size_t i, n = sizeof(struct pb_matcher);

	for (i = 0; i < e->built.n; i++) {
		const struct set_dfa *d = &e->built.v[i].dfa;

		n += sizeof(struct pb_automaton) + 256 + 64 + 4 * d->ntags +
		     4 * (size_t)d->nstates * (d->nclasses + 4);
	}
	return n;
}

static void put_member(const struct emit *e, struct buf *out)
{
	struct pb_matcher head = { .head = { .magic = PB_MAGIC_MATCHER,
					     .version = PB_FORMAT_VERSION } };
	struct pb_automaton *v = arena_array(e->a, e->built.n + 1, sizeof(*v));
	size_t i;

	head.automata = (struct pb_table){ sizeof(head), (uint32_t)e->built.n };
	for (i = 0; i < e->built.n; i++)
		v[i] = describe(&e->built.v[i]);
	buf_add(out, &head, sizeof(head));
	buf_add(out, v, e->built.n * sizeof(*v));
	buf_align(out, 8);
	for (i = 0; i < e->built.n; i++)
		bk_automaton_put(e->a, out, &e->built.v[i].dfa, &v[i]);
	head.head.size = (uint32_t)out->n;
	memcpy(out->p, &head, sizeof(head));
	memcpy(out->p + sizeof(head), v, e->built.n * sizeof(*v));
}

bool matcher_emit(const struct ir *ir, struct bk_output *out, struct diag_sink *sink)
{
	struct emit e = { .a = out->a, .ir = ir, .sink = sink };
	struct matcher_groups groups;
	struct bk_member m = { .path = STR(PB_MATCHER) };
	struct buf bytes;
	size_t i;

	matcher_group(out->a, ir, &groups);
	for (i = 0; i < groups.v.n; i++)
		if (!build_group(&e, &groups.v.v[i]))
			return false;
	if (e.built.n > MAX_AUTOMATA || size_of(&e) > PB_MAX_BUNDLE) {
		diag_add(sink, DIAG_PLAN_LIMIT, SPAN_NONE,
			 "the automata of the patterns do not fit into a bundle");
		return false;
	}
	buf_init(&bytes, out->a);
	put_member(&e, &bytes);
	m.bytes = buf_view(&bytes);
	VEC_PUSH(out->a, &out->members, m);
	return true;
}
