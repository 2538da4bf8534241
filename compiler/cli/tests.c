/*
 * Decides whether the `test` statements of a policy hold.  The reference evaluator
 * judges each case, and the compiled policy must give the same answer.
 */
#include "compiler/cli/tests.h"

#include "compiler/cli/compiled.h"
#include "compiler/cli/roots.h"

const struct ir_roots tests_roots = {
	.dir = {
		[IR_ROOT_FS] = { "/", 1 },
		[IR_ROOT_HOME] = { "/home/user", 10 },
		[IR_ROOT_PROJECT] = { "/home/user/project", 18 },
		[IR_ROOT_TMP] = { "/tmp", 4 },
		[IR_ROOT_AGENT] = { "/run/user/1000/ssh-agent", 24 },
		[IR_ROOT_GIT] = { "/home/user/repository/.git", 26 },
	},
};

struct runner {
	struct compilation *c;
	struct bundle *b;
	struct tests_result *res;
	struct arena scratch; /* of one case: for the evaluator and the compiled policy */
};

bool tests_place(struct arena *a, struct ir_request *q)
{
	struct str path;

	q->roots = tests_roots;
	q->cwd = tests_roots.dir[IR_ROOT_PROJECT];
	if (q->kind != IR_FILE && (q->kind != IR_UNIX || q->abstract))
		return true;
	if (!roots_expand(a, &tests_roots, q->path, &path))
		return false;
	q->path = roots_path(a, path, q->cwd, false);
	return true;
}

static void describe(struct runner *r, struct diag *d, const struct eval_decision *e)
{
	struct diag_sink *s = &r->c->sink;

	if (e->rule) {
		diag_note(s, d, e->rule->at.span, "rule '%.*s' decides it (%s)",
			  STR_ARG(e->rule->id), ir_level_name(e->rule->level));
	} else {
		const struct ir_scalar *v = &r->c->ir->scalars[e->scalar];

		diag_note(s, d, v->at.span, "'%.*s' decides it (%s%s)", STR_ARG(v->id),
			  v->at.line ? "" : "nobody says it, ", eval_step_name(e->step));
	}
	if (e->step == EVAL_STEP_RISK)
		diag_note(s, d, e->risk_fact ? e->risk_fact->at.span : SPAN_NONE,
			  "the risk is %s", ir_risk_name(e->risk));
}

/* Did this rule decide, or the scalar or the risk class in its place? */
static bool is_by(const struct compilation *c, const struct eval_decision *e,
		  struct str id)
{
	if (e->rule)
		return str_eq(e->rule->id, id);
	if (e->step == EVAL_STEP_RISK && e->risk_fact && str_eq(e->risk_fact->id, id))
		return true;
	return str_eq(c->ir->scalars[e->scalar].id, id);
}

static bool holds(const struct compilation *c, const struct ir_test_case *k,
		  const struct eval_decision *e)
{
	/* a hide denies every operation */
	enum ir_effect got = e->effect == IR_HIDE ? IR_DENY : e->effect;
	enum ir_effect want = k->want == IR_HIDE ? IR_DENY : k->want;

	if (got != want || (k->want == IR_HIDE && e->effect != IR_HIDE))
		return false;
	return !k->by.n || is_by(c, e, k->by);
}

static const char *compare(struct runner *r, const struct ir_request *q,
			   const struct eval_decision *e)
{
	struct decision d;
	const char *why;

	if (!compiled_answers(r->c->ir, q))
		return NULL;
	if (!compiled_ask(r->b, q, &r->scratch, &d, &why))
		return why;
	return compiled_differs(r->b, e, q, &d, &r->scratch);
}

static char passed_once, failed_once;

/* The earlier result of this case of this file, if there is one; then stores `now`. */
static const void *judged_before(struct runner *r, const struct ir_test *t,
				 const struct ir_test_case *k, enum ir_scope scope,
				 char *now)
{
	struct map *m = r->res->judged;
	struct str key;
	void *was;

	if (!m)
		return NULL;
	key = str_printf(m->a, "%d:%zu:%u:%.*s", (int)scope, (size_t)(k - t->cases),
			 k->at.span.off, STR_ARG(k->at.file));
	was = map_get(m, key);
	if (was != &failed_once)
		map_put(m, key, now);
	return was;
}

static void count(struct runner *r, const struct ir_test *t,
		  const struct ir_test_case *k, enum ir_scope scope, bool passed)
{
	const void *was =
		judged_before(r, t, k, scope, passed ? &passed_once : &failed_once);

	if (!was) {
		r->res->passed += passed;
		r->res->failed += !passed;
	} else if (was == &passed_once && !passed) {
		r->res->passed--;
		r->res->failed++;
	}
}

static enum cli_exit judge(struct runner *r, const struct ir_test *t,
			   const struct ir_test_case *k, enum ir_scope scope)
{
	struct ir_request q = k->request;
	struct eval_decision e;
	const char *why;
	struct diag *d;

	q.scope = scope;
	if (!tests_place(&r->scratch, &q)) {
		diag_add(&r->c->sink, DIAG_TEST_FAILED, k->at.span,
			 "'%.*s' names a root that tests do not have", STR_ARG(q.path));
		count(r, t, k, scope, false);
		return CLI_FINDINGS;
	}
	eval_decide(r->c->ir, &q, &r->scratch, &e);
	why = compare(r, &q, &e);
	if (why) {
		r->c->internal =
			arena_printf(r->c->a, "test '%.*s': %s", STR_ARG(t->name), why);
		return CLI_INTERNAL;
	}
	count(r, t, k, scope, holds(r->c, k, &e));
	if (holds(r->c, k, &e))
		return CLI_CLEAN;
	d = diag_add(&r->c->sink, DIAG_TEST_FAILED, k->at.span,
		     "test '%.*s'%s: this is %s, not %s%s%.*s", STR_ARG(t->name),
		     scope == IR_HOST ? " on the host" : "", ir_effect_name(e.effect),
		     ir_effect_name(k->want), k->by.n ? " by " : "", STR_ARG(k->by));
	describe(r, d, &e);
	return CLI_FINDINGS;
}

/*
 * A case takes megabytes, and a file may have thousands of cases.  So the memory of
 * each case is released before the next.
 */
static enum cli_exit run_case(struct runner *r, const struct ir_test *t,
			      const struct ir_test_case *k, enum ir_scope scope)
{
	enum cli_exit e;

	arena_init(&r->scratch, r->c->a->budget);
	e = judge(r, t, k, scope);
	arena_release(&r->scratch);
	return e;
}

static enum cli_exit run_test(struct runner *r, const struct ir_test *t)
{
	static const enum ir_scope scopes[] = { IR_SANDBOX, IR_HOST };
	enum cli_exit all = CLI_CLEAN;
	size_t i, k;

	for (i = 0; i < POL_LEN(scopes); i++)
		for (k = 0; (t->scopes & scopes[i]) && k < t->ncases; k++) {
			enum cli_exit e = run_case(r, t, &t->cases[k], scopes[i]);

			if (e == CLI_INTERNAL)
				return e;
			if (e != CLI_CLEAN)
				all = e;
		}
	return all;
}

enum cli_exit tests_run(struct compilation *c, struct tests_result *ret)
{
	struct bundle b;
	struct runner r = { .c = c, .b = &b, .res = ret };
	enum cli_exit all = CLI_CLEAN;
	size_t i;

	if (!c->ir->tests.n)
		return CLI_CLEAN;
	if (!compiled_open(c, &b))
		return c->sink.errors ? CLI_FINDINGS : CLI_INTERNAL;
	for (i = 0; i < c->ir->tests.n && all != CLI_INTERNAL; i++) {
		enum cli_exit e = run_test(&r, &c->ir->tests.v[i]);

		if (e != CLI_CLEAN)
			all = e;
	}
	bundle_release(&b);
	return all;
}
