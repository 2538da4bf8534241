/*
 * `polc exposure`: without a role and under each role that may be chosen.  Of the machine
 * only the policy's files are read, so that a score is the same everywhere: the roots lie
 * where --root says, else at usual places.
 */
#include "compiler/cli/cli.h"
#include "compiler/cli/compare.h"
#include "compiler/cli/exposure_print.h"
#include "compiler/cli/loaded.h"
#include "compiler/cli/roots.h"

static struct exposure_where place(const struct options *o, struct arena *a)
{
	static const char *const usual[IR_ROOT_COUNT] = {
		[IR_ROOT_FS] = "/",
		[IR_ROOT_HOME] = "/home/user",
		[IR_ROOT_PROJECT] = "/home/user/project",
		[IR_ROOT_SESSION] = "/run/user/1000/session",
		[IR_ROOT_TMP] = "/tmp",
		[IR_ROOT_AGENT] = "/tmp/ssh-user/agent.1000",
		[IR_ROOT_GIT] = "/home/user/repository/.git",
	};
	struct exposure_where w = { .scope = o->scope };

	for (int i = 0; i < IR_ROOT_COUNT; i++)
		w.roots.dir[i] = str_from(usual[i]);
	for (int i = IR_ROOT_HOME; i < IR_ROOT_COUNT; i++)
		if (o->root[i])
			w.roots.dir[i] = roots_path(a, str_from(o->root[i]), STR("/"), false);
	w.cwd = w.roots.dir[IR_ROOT_PROJECT];
	return w;
}

static enum cli_exit read_role(struct loaded *l, const struct options *o, const char *role,
			       struct arena *a)
{
	struct options *own = ARENA_NEW(a, struct options);

	*own = *o;
	own->discover = false; /* what it finds is among the inputs already */
	own->role = role ? role : o->role;
	return loaded_read(l, own, a);
}

static void add(struct exposure_show *s, const struct ir *ir, struct arena *a)
{
	struct exposure_side side = { .role = ir->role };

	exposure(ir, s->where, a, &side.r);
	VEC_PUSH(a, &s->sides, side);
}

static enum cli_exit add_all(struct exposure_show *s, const struct options *o, struct arena *a)
{
	struct loaded first, l;
	enum cli_exit e = read_role(&first, o, NULL, a);

	if (e != CLI_CLEAN)
		return e;
	/* warnings are for `check`: they show lines of the policy, and secrets that
	   stand in them */
	add(s, first.ir, a);
	s->doubted = first.doubt != NULL;
	/* a bundle is the policy of one role */
	for (size_t i = 0; i < first.ir->roles.n && !o->role && !o->bundle; i++) {
		struct str role = first.ir->roles.v[i].name;

		if (!compare_has_role(first.ir, role))
			continue;
		e = read_role(&l, o, str_z(a, role), a);
		if (e != CLI_CLEAN)
			return e;
		add(s, l.ir, a);
	}
	return CLI_CLEAN;
}

enum cli_exit cmd_exposure(struct options *o, struct arena *a)
{
	struct exposure_where where = place(o, a);
	struct exposure_show s = { .o = o, .where = &where };
	enum cli_exit e;

	if (!o->bundle && !cli_sources(o, a))
		return CLI_TROUBLE;
	e = add_all(&s, o, a);
	if (e != CLI_CLEAN)
		return e;
	if (o->format == CLI_JSON)
		exposure_json(stdout, &s, a);
	else if (o->format == CLI_MARKDOWN)
		exposure_markdown(stdout, &s, a);
	else
		exposure_text(stdout, &s, a);
	if (!o->has_max || exposure_worst(&s) <= o->max)
		return o->has_max && s.doubted ? CLI_UNDECIDED : CLI_CLEAN;
	fflush(stdout); /* where both go to one file, this is its end */
	fprintf(stderr, "polc: the score is %u, and --max allows %llu\n", exposure_worst(&s),
		(unsigned long long)o->max);
	return CLI_FINDINGS;
}
