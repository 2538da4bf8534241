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

struct emit {
	struct arena *a;
	const struct ir *ir;
	struct diag_sink *sink;
	struct matcher_builts built;
	struct matcher_calls calls;
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

static void report_too_large(struct emit *e, const struct ir_place *at)
{
	struct diag *d = diag_add(e->sink, DIAG_PLAN_LIMIT, at->span,
				  "the pattern needs more than %d states",
				  SINGLE_STATES);

	diag_help(e->sink, d, "use fewer '?' behind a '*'");
}

static const struct ir_place *place_of(const struct ir *ir, uint32_t tag)
{
	size_t first = ir->rules.n + IR_SCALAR_COUNT;

	return tag >= first ? &ir->risks.v[tag - first].at : &ir->rules.v[tag]->at;
}

static bool build(struct matcher_builts *to, const struct matcher_group *g, size_t from,
		  size_t n, uint32_t *ret_tag)
{
	const struct set_tagged *langs = g->langs.v + from;
	struct matcher_built b = { .key = g->key };
	size_t i, budget = SPARE_STATES;

	for (i = 0; i < n; i++)
		budget += 3 * (positions(langs[i].re) + positions(langs[i].minus));
	if (budget > SHARED_STATES)
		budget = SHARED_STATES;
	if (n == 1)
		budget = SINGLE_STATES;
	if (set_dfa_build(to->a, langs, n, budget, &b.dfa) == SET_HOLDS) {
		VEC_PUSH(to->a, &to->v, b);
		return true;
	}
	if (n > 1)
		return build(to, g, from, n / 2, ret_tag) &&
		       build(to, g, from + n / 2, n - n / 2, ret_tag);
	*ret_tag = langs[0].tag;
	return false;
}

static size_t at_most(const struct matcher_group *g, size_t i)
{
	size_t left = i < g->nanchored ? g->nanchored - i : g->langs.n - i, max = left;

	if (i >= g->nanchored)
		max = g->needles.n ? 1 : FLOATING;
	else if (!g->together && g->key.kind == PB_COMMAND)
		max = COMMANDS;
	return left < max ? left : max;
}

bool matcher_build(struct matcher_builts *to, const struct matcher_group *g,
		   uint32_t *ret_tag)
{
	size_t i, n;

	for (i = 0; i < g->langs.n; i += n) {
		n = at_most(g, i);
		if (!build(to, g, i, n, ret_tag))
			return false;
	}
	return true;
}

size_t matcher_size(const struct matcher_builts *b)
{
	size_t i, n = 0;

	for (i = 0; i < b->v.n; i++) {
		const struct set_dfa *d = &b->v.v[i].dfa;

		n += sizeof(struct pb_automaton) + 256 + 64 + 4 * d->ntags +
		     4 * (size_t)d->nstates * (d->nclasses + 4);
	}
	return n;
}

static bool hides(const struct ir *ir, const struct matcher_built *b)
{
	const struct set_dfa *d = &b->dfa;

	for (size_t i = 0; i < d->ntags && b->key.kind == PB_FILE; i++)
		if (ir->rules.v[d->tags[i]]->effect == IR_HIDE)
			return true;
	return false;
}

static struct pb_automaton describe(const struct ir *ir, const struct matcher_built *b)
{
	return (struct pb_automaton){
		.hides = hides(ir, b),
		.kind = b->key.kind,
		.root = b->key.root,
		.abstract = b->key.abstract,
		.except = b->key.except,
	};
}

static bool put_member(const struct emit *e, struct buf *out)
{
	struct pb_matcher head = { .head = { .magic = PB_MAGIC_MATCHER,
					     .version = PB_FORMAT_VERSION } };
	struct pb_automaton *v = arena_array(e->a, e->built.v.n + 1, sizeof(*v));
	struct bk_tables tables;
	size_t i;

	bk_tables_init(&tables, e->a, out);
	head.automata = (struct pb_table){ sizeof(head), (uint32_t)e->built.v.n };
	for (i = 0; i < e->built.v.n; i++)
		v[i] = describe(e->ir, &e->built.v.v[i]);
	buf_add(out, &head, sizeof(head));
	buf_add(out, v, e->built.v.n * sizeof(*v));
	buf_align(out, 8);
	for (i = 0; i < e->built.v.n; i++)
		bk_automaton_put(&tables, &e->built.v.v[i].dfa, &v[i]);
	if (!matcher_calls_put(&e->calls, &head, &tables))
		return false;
	head.head.size = (uint32_t)out->n;
	memcpy(out->p, &head, sizeof(head));
	memcpy(out->p + sizeof(head), v, e->built.v.n * sizeof(*v));
	return out->n <= PB_MAX_BUNDLE;
}

static bool build_all(struct emit *e)
{
	struct matcher_groups groups;
	uint32_t tag = 0;
	size_t i;

	matcher_group(e->a, e->ir, &groups);
	for (i = 0; i < groups.v.n; i++) {
		if (matcher_build(&e->built, &groups.v.v[i], &tag))
			continue;
		report_too_large(e, place_of(e->ir, tag));
		return false;
	}
	matcher_calls(e->a, e->ir, &e->calls);
	if (matcher_calls_build(&e->calls, &tag))
		return true;
	report_too_large(e, e->calls.clauses.v[tag].at);
	return false;
}

bool matcher_emit(const struct ir *ir, struct bk_output *out, struct diag_sink *sink)
{
	struct emit e = { .a = out->a, .ir = ir, .sink = sink, .built.a = out->a };
	struct bk_member m = { .path = STR(PB_MATCHER) };
	struct buf bytes;

	if (!build_all(&e))
		return false;
	buf_init(&bytes, out->a);
	if (e.built.v.n > MAX_AUTOMATA ||
	    matcher_size(&e.built) + matcher_calls_size(&e.calls) > PB_MAX_BUNDLE ||
	    !put_member(&e, &bytes)) {
		diag_add(sink, DIAG_PLAN_LIMIT, SPAN_NONE,
			 "the automata of the patterns do not fit into a bundle");
		return false;
	}
	m.bytes = buf_view(&bytes);
	VEC_PUSH(out->a, &out->members, m);
	return true;
}
