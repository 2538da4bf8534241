/*
 * `polc diff OLD NEW`: each side is a bundle or a source, with the sources
 * that both have.
 */
#include "compiler/cli/cli.h"
#include "compiler/cli/diff_print.h"
#include "compiler/cli/loaded.h"
#include "compiler/cli/report.h"
#include "compiler/cli/roots.h"

static enum cli_exit read_side(struct loaded *l, const struct options *o,
			       const char *path, struct arena *a)
{
	struct options *own = ARENA_NEW(a, struct options);
	struct sema_input in = { .path = path };
	enum cli_exit e;
	size_t i;

	*own = *o;
	memset(&own->inputs, 0, sizeof(own->inputs));
	if (str_ends(str_from(path), STR(".polb"))) {
		own->bundle = path;
		return loaded_read(l, own, a);
	}
	for (i = 0; i < o->inputs.n; i++)
		VEC_PUSH(a, &own->inputs, o->inputs.v[i]);
	VEC_PUSH(a, &own->inputs, in);
	e = loaded_read(l, own, a);
	if (e == CLI_CLEAN)
		report_print(&l->c);
	return e;
}

/* A root that no decision here has is given a place, so that its rules have one. */
static void make_roots(struct ir_roots *dirs, bool made[IR_ROOT_COUNT])
{
	static const char *const places[IR_ROOT_COUNT] = {
		[IR_ROOT_HOME] = "/nonexistent/home",
		[IR_ROOT_PROJECT] = "/nonexistent/project",
		[IR_ROOT_SESSION] = "/nonexistent/session",
		[IR_ROOT_TMP] = "/nonexistent/tmp",
	};
	int i;

	for (i = 0; i < IR_ROOT_COUNT; i++) {
		made[i] = !dirs->dir[i].p;
		if (made[i])
			dirs->dir[i] = str_from(places[i]);
	}
}

static bool has_widening(const struct diff_result *r)
{
	size_t i;

	for (i = 0; i < r->findings.n; i++)
		if (r->findings.v[i].widening)
			return true;
	return false;
}

static enum cli_exit exit_of(const struct options *o, const struct diff_result *r)
{
	if (o->fail_on_widening ? has_widening(r) : r->findings.n > 0)
		return CLI_FINDINGS;
	return r->doubts.n ? CLI_UNDECIDED : CLI_CLEAN;
}

enum cli_exit cmd_diff(struct options *o, struct arena *a)
{
	struct diff_where where = { .scope = o->scope };
	struct diff_result r;
	struct diff_show s = { .o = o, .r = &r };
	struct loaded side[2];
	struct roots roots;
	enum cli_exit e;
	size_t i;

	if (!roots_find(o, a, &roots, stderr))
		return CLI_TROUBLE;
	for (i = 0; i < 2; i++) {
		e = read_side(&side[i], o, o->sides[i], a);
		if (e != CLI_CLEAN)
			return e;
	}
	where.roots = roots.dirs;
	where.cwd = roots.cwd;
	make_roots(&where.roots, s.made);
	diff_policies(side[0].ir, side[1].ir, &where, a, &r);
	s.verdict = r.findings.n ? "differs" : r.doubts.n ? "undecided" : "same";
	if (o->format == CLI_JSON)
		diff_json(stdout, &s, a);
	else if (o->format == CLI_MARKDOWN)
		diff_markdown(stdout, &s, a);
	else
		diff_text(stdout, &s, a);
	return exit_of(o, &r);
}
