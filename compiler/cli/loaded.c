/* Finds the IR of a policy; does not lower it further. */
#include "compiler/cli/loaded.h"

#include <time.h>

#include "compiler/cli/members.h"
#include "compiler/cli/passes.h"
#include "compiler/cli/report.h"
#include "compiler/cli/revision.h"
#include "compiler/ir/read.h"

/* A bundle is the policy of one role: about another one it says nothing. */
static bool is_of_role(const struct ir *ir, const char *path, const char *role, struct arena *a)
{
	struct str want = role ? cli_clean(a, str_from(role), false) : STR("");
	struct str is = cli_clean(a, ir->role, false);

	if (!role || str_eqz(ir->role, role))
		return true;
	if (is.n)
		fprintf(stderr, "polc: --role '%.*s': the bundle '%s' was compiled for the role '%.*s'\n",
			STR_ARG(want), path, STR_ARG(is));
	else
		fprintf(stderr, "polc: --role '%.*s': the bundle '%s' was compiled for no role (polc "
			"compile --role %.*s)\n", STR_ARG(want), path, STR_ARG(want));
	return false;
}

static struct str day_of(int64_t seconds, struct arena *a)
{
	time_t at = (time_t)seconds;
	struct tm tm;

	if (seconds == INT64_MIN || !gmtime_r(&at, &tm))
		return STR("");
	return str_printf(a, "%04d-%02d-%02d", tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday);
}

/* The bundle's last day is what its manifest says, and not what the policy said. */
static void take_last_day(struct ir *ir, const struct bundle *b, struct arena *a)
{
	struct str last = day_of(b->not_after, a);
	bool until = ir->until.n && (!ir->expires.n || str_cmp(ir->until, ir->expires) <= 0);

	if (str_eq(last, until ? ir->until : ir->expires))
		return;
	ir->expires = last;
	/* no bundle of ours is valid longer than its allows */
	if (!last.n || str_cmp(last, ir->until) > 0)
		ir->until = STR("");
}

struct ir *loaded_ir(struct bundle *b, const char *path, const char *role, struct arena *a,
		     const char **ret_doubt)
{
	const struct bundle_member *m = bundle_member(b, PB_IR);
	const char *why = "it has no ir.json, or a damaged one";
	struct ir *ir = NULL;

	if (m && m->data)
		ir = ir_read(a, (struct str){ (const char *)m->data, m->size }, &why);
	/* The evaluator reads lines by the tables of the bundle, which were checked when it
	   was opened: to make them again takes as long as all else in `diff`. */
	if (ir)
		ir->line_facts = arena_dup(a, b->commands, b->commands->head.size);
	else
		fprintf(stderr, "polc: the resolved policy in '%s' cannot be read: %.*s\n",
			path, STR_ARG(cli_clean(a, str_from(why), false)));
	if (ir && ret_doubt)
		*ret_doubt = members_differ(b, ir, a);
	if (ir)
		take_last_day(ir, b, a);
	return ir && is_of_role(ir, path, role, a) ? ir : NULL;
}

static enum cli_exit of_bundle(struct loaded *l, const struct options *o, struct arena *a)
{
	struct bundle b;

	if (o->of_revision ? !revision_bundle(o->bundle, a, &b) : !cli_bundle(o->bundle, &b))
		return CLI_TROUBLE;
	l->ir = loaded_ir(&b, o->bundle, o->role, a, &l->doubt);
	if (b.not_before > (int64_t)time(NULL))
		l->not_before = day_of(b.not_before, a);
	bundle_release(&b);
	return l->ir ? CLI_CLEAN : CLI_TROUBLE;
}

enum cli_exit loaded_read(struct loaded *l, struct options *o, struct arena *a)
{
	enum cli_exit e = loaded_read_after(l, o, NULL, a);

	if (e == CLI_CLEAN && l->doubt)
		fprintf(stderr, "polc: warning: %s: what is shown is its resolved policy, and a run may "
			"decide otherwise: %.*s\n", l->name,
			STR_ARG(cli_clean(a, str_from(l->doubt), false)));
	return e;
}

enum cli_exit loaded_read_after(struct loaded *l, struct options *o,
				const struct loaded *before, struct arena *a)
{
	enum cli_exit e;

	*l = (struct loaded){ .name = o->bundle };
	if (o->bundle)
		return of_bundle(l, o, a);
	compilation_init(&l->c, o, a);
	if (before && before->c.sema.loaded)
		sema_after(&l->c.sema, &before->c.sema);
	if (!cli_sources(o, a))
		return CLI_TROUBLE;
	l->name = o->inputs.n ? o->inputs.v[0].path : "the policy";
	e = passes_run(&l->c, "lift");
	if (e != CLI_CLEAN)
		return cli_refuse(&l->c, e, CLI_TROUBLE);
	l->ir = l->c.ir;
	return CLI_CLEAN;
}
