/*
 * L6: `diff` is empty exactly when all decisions are equal.  On random IRs and
 * their neighbours, and on random policy texts: each request of a finding is
 * answered differently; where diff says "same", no sampled request is; a
 * policy is the same as itself.  SEED= RUNS= repeat a run.
 */
#include "compiler/analysis/diff.h"
#include "tests/prop/diff_says.h"
#include "tests/prop/laws.h"

static struct tally {
	unsigned long same, differs, undecided, findings, widening, sampled,
		kind[IR_KIND_COUNT], change[DIFF_CHANGE_COUNT];
} seen;

#define FAILED(l, run, ...)                                                          \
	do {                                                                         \
		printf("SEED=%llu RUNS=1\n", (unsigned long long)(l)->seed + (run)); \
		fail_msg(__VA_ARGS__);                                               \
	} while (0)

/* Every root has a place, as `polc diff` sees to. */
static struct diff_where random_where(struct rnd *r)
{
	struct diff_where w = { .roots = rnd_roots(r) };

	if (!w.roots.dir[IR_ROOT_TMP].p)
		w.roots.dir[IR_ROOT_TMP] = STR("/t");
	w.roots.dir[IR_ROOT_SESSION] = STR("/s");
	w.cwd = w.roots.dir[IR_ROOT_PROJECT];
	w.scope = rnd_one_in(r, 2) ? IR_SANDBOX : IR_HOST;
	return w;
}

/* Roots anywhere, in each other and where patterns of "/" lie. */
static struct ir_roots wild_roots(struct rnd *r)
{
	static const char *const dirs[] = { "/",    "/h", "/p",   "/h/p", "/a",
					    "/a/b", "/x", "/b/a", "/.e",  "/h/p/x" };
	struct ir_roots roots = { .dir = { [IR_ROOT_FS] = STR("/") } };
	int i;

	for (i = IR_ROOT_HOME; i < IR_ROOT_COUNT; i++)
		roots.dir[i] = str_from(RND_PICK(r, dirs));
	return roots;
}

/* At the edge of a rule, where some roots may lie. */
static struct ir_request wild_request(struct rnd *r, const struct ir *ir)
{
	struct ir_request q = near_request(r, ir);
	const struct ir_rule *rule;

	if (!ir->rules.n)
		return q;
	rule = ir->rules.v[rnd_below(r, (uint32_t)ir->rules.n)];
	q.roots = wild_roots(r);
	q.cwd = q.roots.dir[IR_ROOT_PROJECT];
	q.unparsed = false;
	near_rule(r, rule, &q);
	return q;
}

static bool answered_alike(const struct ir *x, const struct ir *y,
			   const struct ir_request *q, struct arena *a)
{
	struct eval_decision d, e;

	eval_decide(x, q, a, &d);
	eval_decide(y, q, a, &e);
	return d.effect == e.effect && d.err == e.err &&
	       d.needs_person == e.needs_person && diff_gateway_alike(x, y, q, a);
}

static void check_findings(struct law *l, unsigned long run, const struct ir *x,
			   const struct ir *y, const struct diff_result *r,
			   struct arena *a)
{
	size_t i;

	for (i = 0; i < r->findings.n; i++) {
		const struct diff_finding *f = &r->findings.v[i];
		const char *why;

		seen.findings++;
		seen.widening += f->widening;
		seen.change[f->change]++;
		if (!f->asked)
			continue;
		seen.kind[f->request.kind]++;
		why = diff_finding_fails(x, y, f, a);
		if (why) {
			law_show_request(&f->request);
			FAILED(l, run, "%s", why);
		}
	}
}

static void judge(struct law *l, unsigned long run, struct rnd *r, const struct ir *x,
		  const struct ir *y, struct arena *a)
{
	struct diff_where w = random_where(r);
	struct diff_result res;
	bool same;
	int i;

	diff_policies(x, y, &w, a, &res);
	same = !res.findings.n && !res.doubts.n;
	seen.same += same;
	seen.differs += res.findings.n > 0;
	seen.undecided += !res.findings.n && res.doubts.n > 0;
	l->bites += res.findings.n > 0;
	check_findings(l, run, x, y, &res, a);
	/* what is called the same is looked at longer */
	for (i = 0; i < (same ? 1200 : 120); i++) {
		struct ir_request q = i % 3 == 1 ? wild_request(r, i & 1 ? x : y)
						 : near_request(r, i & 1 ? x : y);
		struct eval_decision d, e;

		if (i % 3 == 0) {
			q.roots = w.roots;
			q.cwd = w.cwd;
		}
		seen.sampled++;
		if (answered_alike(x, y, &q, a))
			continue;
		if (same) {
			law_show_request(&q);
			eval_decide(x, &q, a, &d);
			eval_decide(y, &q, a, &e);
			printf("effect %d and %d, error %d and %d, person %d and %d\n", (int)d.effect, (int)e.effect,
			       (int)d.err, (int)e.err, d.needs_person, e.needs_person);
			ir_print(stdout, x);
			ir_print(stdout, y);
			FAILED(l, run,
			       "called the same, and a request is answered "
			       "differently");
		}
		/* where the roots are those of the question, widening is seen */
		eval_decide(x, &q, a, &d);
		eval_decide(y, &q, a, &e);
		if (i % 3 == 0 &&
		    (e.effect < d.effect || diff_gateway_widens(x, y, &q, a)) &&
		    !diff_says_widening(&res)) {
			law_show_request(&q);
			ir_print(stdout, x);
			ir_print(stdout, y);
			FAILED(l, run,
			       "a request is newly permitted, and no finding widens");
		}
	}
}

/* --- random IRs ---------------------------------------------------------------------
 */

static void finish(struct ir *ir)
{
	struct diag_sink sink;
	const char *why;
	size_t i;

	for (i = 0; i < ir->rules.n; i++)
		ir->rules.v[i]->index = (uint32_t)i;
	diag_init(&sink, ir->a);
	(void)pass_lift(ir, &sink);
	why = ir_verify(ir, ir->a);
	if (why)
		fail_msg("%s", why);
}

static struct ir *copy(const struct ir *x, struct arena *a)
{
	struct ir *y = ARENA_NEW(a, struct ir);
	size_t i;

	*y = *x;
	memset(&y->rules, 0, sizeof(y->rules));
	for (i = 0; i < x->rules.n; i++) {
		struct ir_rule *r = ARENA_NEW(a, struct ir_rule);

		*r = *x->rules.v[i];
		r->lifted_by = NULL;
		r->nlifted_by = 0;
		r->id = str_printf(a, "other-%zu", i);
		r->at.file = STR("b.pol");
		VEC_PUSH(a, &y->rules, r);
	}
	memset(&y->risks, 0, sizeof(y->risks));
	for (i = 0; i < x->risks.n; i++)
		VEC_PUSH(a, &y->risks, x->risks.v[i]);
	return y;
}

static void drop_rule(struct ir *y, size_t at)
{
	size_t i;

	for (i = at; i + 1 < y->rules.n; i++)
		y->rules.v[i] = y->rules.v[i + 1];
	y->rules.n--;
}

static void double_rule(struct rnd *r, struct ir *y, size_t at)
{
	size_t i;

	VEC_PUSH(r->a, &y->rules, NULL);
	for (i = y->rules.n - 1; i > at; i--)
		y->rules.v[i] = y->rules.v[i - 1];
	y->rules.v[at + 1] = ARENA_NEW(r->a, struct ir_rule);
	*y->rules.v[at + 1] = *y->rules.v[at];
}

static void swap_rules(struct ir *y, size_t at)
{
	struct ir_rule *x = y->rules.v[at], *z;

	if (at + 1 >= y->rules.n)
		return;
	z = y->rules.v[at + 1];
	if (x->level != z->level || x->floor != z->floor)
		return;
	y->rules.v[at] = z;
	y->rules.v[at + 1] = x;
}

/* {a|b} is a and b. */
static void split_rule(struct rnd *r, struct ir *y, size_t at)
{
	struct ir_rule *rule = y->rules.v[at];
	struct ir_glob *g;
	size_t i, k;

	if (rule->kind != IR_TOOL && rule->kind != IR_FILE)
		return;
	g = rule->kind == IR_TOOL ? &rule->set.u.tool.glob
				  : &rule->set.u.file.path.glob;
	for (i = 0; i < g->n && g->v[i].op != IR_G_ALT; i++)
		;
	if (i == g->n)
		return;
	for (k = 1; k < g->v[i].nalts; k++)
		double_rule(r, y, at);
	for (k = 0; k < g->v[i].nalts; k++) {
		struct ir_glob one = { .n = g->n };
		struct ir_glob_item *alt;

		one.v = arena_dup(r->a, g->v, g->n * sizeof(*g->v));
		alt = &one.v[i];
		alt->alts = &g->v[i].alts[k];
		alt->nalts = 1;
		if (rule->kind == IR_TOOL)
			y->rules.v[at + k]->set.u.tool.glob = one;
		else
			y->rules.v[at + k]->set.u.file.path.glob = one;
	}
}

static void mutate(struct rnd *r, struct ir *y)
{
	size_t at = y->rules.n ? rnd_below(r, (uint32_t)y->rules.n) : 0;
	struct ir_rule *rule = y->rules.n ? y->rules.v[at] : NULL;

	switch (rule ? rnd_below(r, 9) : 8) {
	case 0:
		drop_rule(y, at);
		break;
	case 1:
		double_rule(r, y, at);
		break;
	case 2:
		swap_rules(y, at);
		break;
	case 3:
	case 4:
		split_rule(r, y, at);
		break;
	case 5: /* without its exceptions */
		rule->nexcept = 0;
		break;
	case 6:
		rule->scopes = rule->scratch ? IR_SANDBOX : 1 + rnd_below(r, 3);
		break;
	case 7: {
		struct ir_rule *fresh =
			rnd_rule(r, rule->kind, rule->level, rule->floor);

		if (!rule->floor)
			*rule = *fresh;
		break;
	}
	default:
		rnd_scalars(r, y);
		break;
	}
}

/*
 * The cases that have a difference for certain, whatever chance makes of the others: the seeds
 * that leave 3 over.  Of each 4, so that a fifth of all cases differs.
 */
static bool is_sure(const struct law *l, unsigned long run)
{
	return (l->seed + run) % 4 == 3;
}

/* All tools are decided by `otherwise`. */
static void otherwise_for_tools(struct ir *ir, enum ir_effect effect)
{
	struct ir_scalar *s = &ir->scalars[IR_S_TOOL_OTHERWISE];
	size_t i;

	for (i = ir->rules.n; i-- > 0;)
		if (ir->rules.v[i]->kind == IR_TOOL)
			drop_rule(ir, i);
	s->by_risk = false;
	s->effect = effect;
}

static void one_ir(struct law *l, unsigned long run, struct arena *a)
{
	struct rnd r = { .s = (l->seed + run) * 0x9e3779b97f4a7c15u | 1, .a = a };
	struct ir *x = rnd_ir(&r), *y;
	uint32_t n = 1 + (rnd_one_in(&r, 4) ? rnd_below(&r, 3) : 0), i;

	if (is_sure(l, run))
		otherwise_for_tools(x, IR_ALLOW);
	y = copy(x, a);
	finish(x);
	for (i = 0; i < n; i++)
		mutate(&r, y);
	if (is_sure(l, run))
		otherwise_for_tools(y, IR_DENY);
	finish(y);
	l->compiled++;
	judge(l, run, &r, x, y, a);
}

static void test_L6_neighbours_of_random_irs(void **state)
{
	struct law l;

	(void)state;
	memset(&seen, 0, sizeof(seen));
	law_begin(&l, "L6 neighbours", 90, 0);
	law_repeat(&l, one_ir);
	printf("%lu same, %lu differ, %lu undecided; %lu findings, %lu requests "
	       "sampled\n",
	       seen.same, seen.differs, seen.undecided, seen.findings, seen.sampled);
	law_end(&l);
	if (l.runs < 40)
		return;
	assert_true(seen.same > l.runs / 20);
	assert_true(seen.differs > l.runs / 5);
}

/* --- random texts --------------------------------------------------------------------
 */

/* The text without one of its statements that stands on a line of its own. */
static const char *one_less(struct rnd *r, const char *text)
{
	struct buf b;
	uint32_t n = 0, which, k = 0;
	int pass;

	buf_init(&b, r->a);
	for (pass = 0; pass < 2; pass++) {
		const char *at = text, *end;

		which = pass && n ? rnd_below(r, n) : 0;
		for (; *at; at = end) {
			bool statement;

			end = strchr(at, '\n');
			end = end ? end + 1 : at + strlen(at);
			statement = strncmp(at, "  ", 2) == 0 && !memchr(at, '{', (size_t)(end - at)) &&
				    !memchr(at, '}', (size_t)(end - at));
			if (!pass)
				n += statement;
			else if (!statement || k++ != which)
				buf_add(&b, at, (size_t)(end - at));
		}
	}
	return str_z(r->a, buf_view(&b));
}

/* Two texts for each kind of request, of which one is decided differently by them. */
static const char *const kind_pairs[IR_KIND_COUNT][2] = {
	[IR_COMMAND] = { "command { allow \"a\" }", "command { deny \"a\" }" },
	[IR_FILE] = { "file { allow read \"/a\" }", "file { deny read \"/a\" }" },
	[IR_NET] = { "network limited { allow tcp 10.0.0.1 port 80 }", "network limited { }" },
	[IR_UNIX] = { "unix { allow \"/a\" }", "unix { deny \"/a\" }" },
	[IR_SYSCALL] = { "syscall { allow getppid }", "syscall { deny getppid }" },
	[IR_TOOL] = { "tools { allow \"a\" }", "tools { deny \"a\" }" },
};

static void one_kind(struct law *l, unsigned long run, struct arena *a)
{
	struct pol_gen g = law_gen(l, run, a);
	enum ir_kind kind = (enum ir_kind)((l->seed + run) / 4 % IR_KIND_COUNT);
	unsigned long before = seen.kind[kind];
	struct pol p = { .text = { [POL_BASE] = "network disabled\n",
				   [POL_FLOOR] = "network disabled\n" } }, q = p;
	const struct ir *x, *y;

	p.text[POL_MANAGED] = kind_pairs[kind][0];
	q.text[POL_MANAGED] = kind_pairs[kind][1];
	x = law_ir(l, &p, a);
	y = law_ir(l, &q, a);
	if (!x || !y)
		FAILED(l, run, "refused (SHOW=1 says why): %s", kind_pairs[kind][x ? 1 : 0]);
	judge(l, run, &g.r, x, y, a);
	if (seen.kind[kind] == before)
		FAILED(l, run, "nothing is found: %s", kind_pairs[kind][1]);
}

static void one_text(struct law *l, unsigned long run, struct arena *a)
{
	struct pol_gen g = law_gen(l, run, a);
	struct pol p = pol_random(&g), q = p;
	enum pol_slot slot = (enum pol_slot)rnd_below(&g.r, POL_BASE);
	const struct ir *x = law_ir(l, &p, a), *y;

	if (p.text[slot] && rnd_one_in(&g.r, 2))
		q.text[slot] = one_less(&g.r, p.text[slot]);
	else
		q.text[slot] = rnd_one_in(&g.r, 3) ? NULL : pol_text(&g, slot);
	y = x ? law_ir(l, &q, a) : NULL;
	if (y)
		judge(l, run, &g.r, x, y, a);
}

static void one_pair(struct law *l, unsigned long run, struct arena *a)
{
	if (is_sure(l, run))
		one_kind(l, run, a);
	else
		one_text(l, run, a);
}

static bool is_each_kind(void)
{
	for (int i = 0; i < IR_KIND_COUNT; i++)
		if (!seen.kind[i])
			return false;
	return true;
}

static void test_L6_random_policies(void **state)
{
	struct law l;
	int i;

	(void)state;
	memset(&seen, 0, sizeof(seen));
	law_begin(&l, "L6 texts", 40, 0);
	l.met = is_each_kind;
	law_repeat(&l, one_pair);
	printf("%lu same, %lu differ, %lu undecided; %lu findings, %lu requests "
	       "sampled\n",
	       seen.same, seen.differs, seen.undecided, seen.findings, seen.sampled);
	for (i = 0; i < DIFF_CHANGE_COUNT; i++)
		printf(" %s %lu", diff_change_name((enum diff_change)i),
		       seen.change[i]);
	printf("\n");
	law_end(&l);
}

/* --- itself
 * ---------------------------------------------------------------------------- */

static void one_self(struct law *l, unsigned long run, struct arena *a)
{
	struct pol_gen g = law_gen(l, run, a);
	struct pol p = pol_random(&g);
	const struct ir *x = law_ir(l, &p, a), *y = x ? law_ir(l, &p, a) : NULL;
	struct diff_where w = random_where(&g.r);
	struct diff_result res;

	if (!y)
		return;
	l->bites++;
	diff_policies(x, y, &w, a, &res);
	if (res.findings.n || res.doubts.n)
		FAILED(l, run, "a policy differs from itself: %zu findings, %zu doubts",
		       res.findings.n, res.doubts.n);
}

static void test_a_policy_is_the_same_as_itself(void **state)
{
	struct law l;

	(void)state;
	law_begin(&l, "L6 itself", 30, 0);
	law_repeat(&l, one_self);
	law_end(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_L6_neighbours_of_random_irs),
		cmocka_unit_test(test_L6_random_policies),
		cmocka_unit_test(test_a_policy_is_the_same_as_itself),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
