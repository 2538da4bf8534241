/*
 * Decides whether the assertions of a policy hold.  They are about the whole resolved
 * policy, so one of a managed file binds the levels below it as well.
 */
#include "compiler/cli/asserts.h"

#include "compiler/analysis/prove.h"
#include "compiler/cli/cli.h"
#include "compiler/cli/passes.h"
#include "compiler/cli/report.h"
#include "compiler/cli/request_words.h"
#include "compiler/cli/show.h"
#include "compiler/cli/tests.h"
#include "compiler/ir/value.h"

/* So many reasons are shown for what is not decided. */
#define MOST_REASONS 3

struct asserts {
	struct compilation *c;
	struct diff_where where;
	struct str role; /* under which the policy was read, or empty */
	struct map said;   /* assertions about which there is an error already */
	struct map warned; /* and those about which there is a warning */
	size_t refuted, undecided;
};

/*
 * The same roots on every machine; a root that tests do not have lies somewhere, so that
 * rules about it count.
 */
static struct diff_where where_of(void)
{
	struct diff_where w = { .roots = tests_roots,
				.cwd = tests_roots.dir[IR_ROOT_PROJECT],
				.scope = IR_SANDBOX };

	for (int i = 0; i < IR_ROOT_COUNT; i++)
		if (!w.roots.dir[i].p)
			w.roots.dir[i] = STR("/nonexistent/session");
	return w;
}

/* --- messages --------------------------------------------------------------- */

/* Another reading of the same policy has spans of its own: the place names the same one. */
static struct span span_of(const struct compilation *c, const struct ir_place *at)
{
	for (size_t i = 0; i < c->sema.stmts.n; i++) {
		const struct sema_stmt *t = c->sema.stmts.v[i];

		if (t->at.line == at->line && t->at.col == at->col &&
		    str_eq(t->at.file, at->file))
			return t->at.span;
	}
	return SPAN_NONE;
}

static void note_role(struct asserts *s, struct diag *d)
{
	if (s->role.n)
		diag_note(&s->c->sink, d, SPAN_NONE, "under the role '%.*s'", STR_ARG(s->role));
}

static void note_rule(struct asserts *s, struct diag *d, const struct diff_said *v)
{
	struct arena *a = s->c->a;
	struct span at = v->at.line ? span_of(s->c, &v->at) : SPAN_NONE;

	diag_note(&s->c->sink, d, at, "%s by '%.*s' (%s%s%.*s)", ir_effect_name(v->effect),
		  STR_ARG(v->id), v->at.line ? ir_level_name(v->level) : "built in",
		  v->at.line ? ", " : "",
		  STR_ARG(v->at.line ? show_place(a, &v->at) : STR("")));
}

static void tell_refuted(struct asserts *s, const struct ir_assertion *x,
			 const struct diff_finding *f)
{
	struct request_words w = { .a = s->c->a };
	struct diag *d;

	request_put_words(&w, diff_shown(f));
	d = diag_add(&s->c->sink, DIAG_ASSERT_FAILED, span_of(s->c, &x->at),
		     "the assertion '%.*s' does not hold: %.*s%s", STR_ARG(x->id),
		     STR_ARG(request_joined(&w)),
		     f->request.scope == IR_HOST ? " (on the host)" : "");
	note_rule(s, d, &f->side[0]);
	note_role(s, d);
	s->refuted++;
}

/* Roots that lie elsewhere than in the proof, for the message. */
static void put_roots(struct asserts *s, struct request_words *w, const struct ir_request *q)
{
	for (int i = 0; i < IR_ROOT_COUNT; i++)
		if (q->roots.dir[i].p && !str_eq(q->roots.dir[i], s->where.roots.dir[i])) {
			request_put_z(w, "--root");
			request_put(w, str_printf(w->a, "%s=%.*s", ir_root_name((enum ir_root)i),
						  STR_ARG(q->roots.dir[i])));
		}
}

static void tell_elsewhere(struct asserts *s, const struct ir_assertion *x,
			   const struct diff_finding *f)
{
	struct request_words w = { .a = s->c->a };
	struct diag *d;

	put_roots(s, &w, &f->request);
	request_put_words(&w, &f->request);
	d = diag_add(&s->c->sink, DIAG_ASSERT_ELSEWHERE, span_of(s->c, &x->at),
		     "the assertion '%.*s' holds, but not with other roots: %.*s", STR_ARG(x->id),
		     STR_ARG(request_joined(&w)));
	note_rule(s, d, &f->side[0]);
	note_role(s, d);
}

/* The first reasons; each may have rules of the policy. */
static void tell_undecided(struct asserts *s, const struct ir_assertion *x,
			   const struct diff_result *r)
{
	struct diag *d = diag_add(&s->c->sink, DIAG_ASSERT_UNDECIDED, span_of(s->c, &x->at),
				  "whether the assertion '%.*s' holds could not be decided",
				  STR_ARG(x->id));

	for (size_t i = 0; i < r->doubts.n && i < MOST_REASONS; i++) {
		const struct diff_said *side = r->doubts.v[i].side;

		diag_note(&s->c->sink, d, SPAN_NONE, "%.*s", STR_ARG(r->doubts.v[i].why));
		for (size_t k = 0; k < 2; k++)
			if (side[k].there && side[k].decides && !str_eq(side[k].text, x->text))
				note_rule(s, d, &side[k]);
	}
	note_role(s, d);
	s->undecided++;
}

/* --- proving ---------------------------------------------------------------- */

static void prove_one(struct asserts *s, const struct ir *ir, const struct ir_assertion *x)
{
	struct diff_result r;

	switch (prove(ir, x, &s->where, s->c->a, &r)) {
	case PROVE_PROVED:
		if (r.elsewhere.n && !map_get(&s->warned, x->id)) {
			map_put(&s->warned, x->id, s);
			tell_elsewhere(s, x, &r.elsewhere.v[0]);
		}
		return;
	case PROVE_REFUTED:
		tell_refuted(s, x, &r.findings.v[0]);
		break;
	case PROVE_UNDECIDED:
		tell_undecided(s, x, &r);
		break;
	}
	map_put(&s->said, x->id, s);
}

/* One that is wrong without a role is not tried under each role. */
static void prove_all(struct asserts *s, const struct ir *ir)
{
	for (size_t i = 0; i < ir->assertions.n; i++)
		if (!map_get(&s->said, ir->assertions.v[i].id))
			prove_one(s, ir, &ir->assertions.v[i]);
}

/* Is the role one of those that agents.allowedRoles permits? */
static bool may_be_chosen(const struct ir *ir, struct str role)
{
	const struct ir_setting *s =
		ir_setting_find(ir, IR_P_SETTING, STR("agents.allowedRoles"));
	bool ret = !s;

	for (size_t i = 0; s && i < s->value.nitems; i++)
		ret |= str_eq(s->value.items[i].text, role);
	return ret;
}

static enum cli_exit no_policy(struct asserts *s, struct compilation *c, struct str role)
{
	report_print(c);
	diag_add(&s->c->sink, DIAG_ASSERT_UNDECIDED, SPAN_NONE,
		 "assertions are not decided under the role '%.*s': the policy has errors there",
		 STR_ARG(role));
	s->undecided++;
	return CLI_CLEAN;
}

static enum cli_exit under_role(struct asserts *s, struct str role)
{
	struct options *own = ARENA_NEW(s->c->a, struct options);
	struct compilation c;
	enum cli_exit e;

	*own = *s->c->o;
	own->role = str_z(s->c->a, role);
	compilation_init(&c, own, s->c->a);
	c.sema.stdlib_dir = s->c->sema.stdlib_dir;
	e = passes_run(&c, "lift");
	if (e == CLI_FINDINGS)
		return no_policy(s, &c, role);
	if (e != CLI_CLEAN)
		return cli_refuse(&c, e, e);
	s->role = role;
	prove_all(s, c.ir);
	return CLI_CLEAN;
}

/* Does any statement assert, of whatever role? */
static bool asserts_any(const struct compilation *c)
{
	for (size_t i = 0; i < c->sema.stmts.n; i++)
		if (c->sema.stmts.v[i]->stmt->kind == AST_ASSERT)
			return true;
	return false;
}

enum cli_exit asserts_run(struct compilation *c)
{
	struct asserts s = { .c = c, .where = where_of(), .role = c->ir->role };
	enum cli_exit e = CLI_CLEAN;

	if (!asserts_any(c))
		return CLI_CLEAN;
	map_init(&s.said, c->a);
	map_init(&s.warned, c->a);
	prove_all(&s, c->ir);
	for (size_t i = 0; i < c->ir->roles.n && !c->o->role && e == CLI_CLEAN; i++)
		if (may_be_chosen(c->ir, c->ir->roles.v[i].name))
			e = under_role(&s, c->ir->roles.v[i].name);
	if (e != CLI_CLEAN)
		return e;
	if (s.refuted)
		return CLI_FINDINGS;
	return s.undecided ? CLI_UNDECIDED : CLI_CLEAN;
}
