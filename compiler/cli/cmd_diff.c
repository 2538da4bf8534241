/*
 * `polc diff OLD NEW`: each side is a bundle, or a source together with the sources that both
 * sides have; either may be REV:PATH.
 */
#include "compiler/cli/cli.h"
#include "compiler/cli/compare.h"
#include "compiler/cli/diff_print.h"
#include "compiler/cli/revision.h"
#include "compiler/cli/traffic.h"

/* The command line of one side: its own file behind what both sides have. */
static struct options *side_of(const struct options *o, const char *path, struct arena *a)
{
	struct options *own = ARENA_NEW(a, struct options);
	size_t i;

	*own = *o;
	memset(&own->inputs, 0, sizeof(own->inputs));
	for (i = 0; i < o->inputs.n; i++)
		VEC_PUSH(a, &own->inputs, o->inputs.v[i]);
	if (!revision_add(own, path, a))
		return NULL;
	return own->bundle || cli_sources(own, a) ? own : NULL;
}

static enum cli_exit exit_of(const struct diff_result *r, const struct impact *im)
{
	enum cli_exit e = compare_any(r);

	if (!im || !impact_is_open(im))
		return e;
	if (im->lost.n) {
		fputs("polc: internal error: recorded requests change, and diff has found no reason\n",
		      stderr);
		return CLI_INTERNAL;
	}
	return e == CLI_CLEAN ? CLI_UNDECIDED : e;
}

enum cli_exit cmd_diff(struct options *o, struct arena *a)
{
	struct compare c = { .role = o->role };
	struct impact_requests traffic;
	struct diff_result r, wide;
	struct impact impact;
	struct diff_show s = { .o = o, .r = &r, .made = c.made, .roots = &c.where.roots };
	enum cli_exit e;
	size_t i;

	if (!compare_where(&c, o, a) || (o->traffic.n && !traffic_read(o, a, &traffic, stderr)))
		return CLI_TROUBLE;
	for (i = 0; i < 2; i++) {
		c.side[i] = side_of(o, o->sides[i], a);
		if (!c.side[i])
			return CLI_TROUBLE;
	}
	e = compare_traffic(&c, o->traffic.n ? &traffic : NULL, a, &r, &impact);
	if (e != CLI_CLEAN)
		return e;
	s.impact = o->traffic.n ? &impact : NULL;
	s.verdict = r.findings.n ? "differs" :
		    r.doubts.n || (s.impact && impact_is_open(s.impact)) ? "undecided" : "same";
	if (o->format == CLI_JSON)
		diff_json(stdout, &s, a);
	else if (o->format == CLI_MARKDOWN)
		diff_markdown(stdout, &s, a);
	else if (o->format == CLI_HTML)
		diff_html(stdout, &s, a);
	else
		diff_text(stdout, &s, a);
	compare_only_widening(&r, a, &wide);
	return exit_of(o->fail_on_widening ? &wide : &r, s.impact);
}
