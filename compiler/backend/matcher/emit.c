/* Writes matcher.bin: the automata of all kinds, then the tables of commands. */
#include "compiler/record/automaton.h"
#include "compiler/backend/matcher/internal.h"

#define MAX_AUTOMATA 1024   /* limit of the reader */

struct emit {
	struct arena *a;
	const struct ir *ir;
	struct diag_sink *sink;
	struct matcher_builts built;
	struct matcher_calls calls;
};

static void report_too_large(struct emit *e, const struct ir_place *at)
{
	struct diag *d = diag_add(e->sink, DIAG_PLAN_LIMIT, at->span,
				  "the pattern needs more than %d states",
				  MATCHER_SINGLE_STATES);

	diag_help(e->sink, d, "use fewer '?' behind a '*'");
}

static const struct ir_place *place_of(const struct ir *ir, uint32_t tag)
{
	size_t first = ir->rules.n + IR_SCALAR_COUNT;

	return tag >= first ? &ir->risks.v[tag - first].at : &ir->rules.v[tag]->at;
}

static bool hides(const struct ir *ir, const struct matcher_built *b)
{
	const struct set_dfa *d = &b->dfa;

	for (size_t i = 0; i < d->ntags && b->key.kind == PB_FILE; i++)
		if (ir->rules.v[d->tags[i]]->effect == IR_HIDE ||
		    (ir->rules.v[d->tags[i]]->effect == IR_DENY &&
		     (ir->rules.v[d->tags[i]]->set.u.file.ops & IR_READ)))
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
	struct rec_tables tables;
	size_t i;

	rec_tables_init(&tables, e->a, out);
	head.automata = (struct pb_table){ sizeof(head), (uint32_t)e->built.v.n };
	for (i = 0; i < e->built.v.n; i++)
		v[i] = describe(e->ir, &e->built.v.v[i]);
	buf_add(out, &head, sizeof(head));
	buf_add(out, v, e->built.v.n * sizeof(*v));
	buf_align(out, 8);
	for (i = 0; i < e->built.v.n; i++)
		rec_automaton_put(&tables, &e->built.v.v[i].dfa, &v[i]);
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
