/*
 * A ceiling is the old policy of a comparison, and what widens it is beyond it.  So
 * `check --against` and `diff --fail-on=widening` cannot disagree.
 */
#include "compiler/cli/against.h"

#include "compiler/cli/compare.h"
#include "compiler/cli/diff_print.h"
#include "compiler/cli/revision.h"

/* The ceiling is a policy of its own: no other source of the command line joins it. */
static struct options *ceiling_of(const struct options *o, struct arena *a)
{
	struct options *own = ARENA_NEW(a, struct options);

	*own = *o;
	memset(&own->inputs, 0, sizeof(own->inputs));
	own->bundle = NULL;
	own->discover = false;
	own->fallback = NULL;
	if (!revision_add(own, o->against, a))
		return NULL;
	return own->bundle || cli_sources(own, a) ? own : NULL;
}

static void append(struct buf *json, const struct diff_show *s, const char *file,
		   struct arena *a)
{
	struct value *top = value_map(a);

	value_put(top, "ceiling", value_z(a, s->ceiling));
	value_put(top, "policy", file ? value_z(a, file) : value_null(a));
	value_put(top, "result", diff_data(s, a));
	if (json->n)
		buf_ch(json, ',');
	value_json(json, top);
}

enum cli_exit against_run(const struct options *o, const struct options *policy,
			  const char *file, struct arena *a, struct buf *json)
{
	struct compare c = { .role = o->role, .quiet = { true, true } };
	struct options *own = ARENA_NEW(a, struct options);
	struct diff_result r, wide;
	struct diff_show s = { .o = o, .r = &wide, .made = c.made, .roots = &c.where.roots,
			       .ceiling = o->against,
			       .side = { "ceiling", "policy" } };
	enum cli_exit e;

	*own = *policy;
	c.side[0] = ceiling_of(o, a);
	c.side[1] = own;
	if (!c.side[0] || !compare_where(&c, o, a))
		return CLI_TROUBLE;
	e = compare_run(&c, a, &r);
	if (e != CLI_CLEAN)
		return e;
	compare_only_widening(&r, a, &wide);
	e = compare_any(&wide);
	s.verdict = e == CLI_CLEAN ? "within" : e == CLI_FINDINGS ? "beyond" : "undecided";
	if (o->json)
		append(json, &s, file, a);
	else
		diff_ceiling(stdout, &s, a);
	return e;
}
