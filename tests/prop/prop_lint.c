/*
 * Rules that are said to decide nothing: without one of them, and without all of them, no
 * sampled request is decided in another way.  Random policies of all kinds and levels, and
 * random command lines with words of unknown value.  SEED= RUNS= repeat a run.
 */
#include "compiler/analysis/lint.h"
#include "compiler/eval/grant.h"
#include "tests/prop/laws.h"
#include "tests/prop/command_law.h"

#define REQUESTS 60
#define LINES 40

static struct {
	unsigned long kind[4], of[IR_KIND_COUNT], several, open;
} found;

/* --- a policy without some rules -------------------------------------------------- */

static uint32_t *renumber(const struct ir *ir, const bool *drop, struct arena *a)
{
	uint32_t *to = arena_array(a, ir->rules.n + 1, sizeof(*to)), n = 0;
	size_t i;

	for (i = 0; i < ir->rules.n; i++)
		to[i] = drop[i] ? UINT32_MAX : n++;
	return to;
}

static struct ir_rule *kept(const struct ir_rule *r, const uint32_t *to, struct arena *a)
{
	struct ir_rule *copy = arena_dup(a, r, sizeof(*r));
	size_t i, n = 0;

	copy->index = to[r->index];
	copy->lifted_by = arena_array(a, r->nlifted_by + 1, sizeof(*copy->lifted_by));
	for (i = 0; i < r->nlifted_by; i++)
		if (to[r->lifted_by[i]] != UINT32_MAX)
			copy->lifted_by[n++] = to[r->lifted_by[i]];
	copy->nlifted_by = n;
	return copy;
}

static const struct ir *without(const struct ir *ir, const bool *drop, struct arena *a)
{
	const uint32_t *to = renumber(ir, drop, a);
	struct ir *ret = arena_dup(a, ir, sizeof(*ir));
	size_t i;

	memset(&ret->rules, 0, sizeof(ret->rules));
	for (i = 0; i < ir->rules.n; i++)
		if (!drop[i])
			VEC_PUSH(a, &ret->rules, kept(ir->rules.v[i], to, a));
	ret->mounts.v = arena_array(a, ir->mounts.n + 1, sizeof(*ret->mounts.v));
	for (i = 0; i < ir->mounts.n; i++) {
		ret->mounts.v[i] = ir->mounts.v[i];
		ret->mounts.v[i].rule = to[ir->mounts.v[i].rule];
		assert_true(ret->mounts.v[i].rule != UINT32_MAX);
	}
	return ret;
}

/* --- one policy ---------------------------------------------------------------------- */

static void look(const struct ir *ir, struct arena *a, struct lint_result *ret)
{
	bool *asked = arena_array(a, ir->rules.n + 1, sizeof(*asked));
	struct lint_input in = { .ir = ir, .asked = asked };
	size_t i;

	for (i = 0; i < ir->rules.n; i++)
		asked[i] = true;
	lint_rules(&in, a, ret);
	found.open += ret->open.n;
	for (i = 0; i < ret->findings.n; i++) {
		const struct lint_finding *f = &ret->findings.v[i];

		assert_true(f->nby > 0 && f->by[0] != f->rule);
		found.kind[f->kind]++;
		found.of[f->rule->kind]++;
		found.several += f->nby > 1;
	}
}

static const char *said(const struct ir *ir, const struct eval_decision *d,
			const struct ir_request *q, struct arena *a)
{
	struct eval_grant g;
	struct str words = STR("");

	if (q->kind == IR_NET) {
		eval_grant(ir, q, d, a, &g);
		words = eval_grant_words(a, &g);
	}
	return arena_printf(a, "%s errno %u person %d risk %d %.*s", ir_effect_name(d->effect),
			    d->err, d->needs_person, d->risk, STR_ARG(words));
}

/* Fails if the request is decided in another way. */
static bool alike(const struct ir *x, const struct ir *y, const struct ir_request *q,
		  struct arena *a)
{
	struct eval_decision d, e;
	const char *was, *is;

	eval_decide(x, q, a, &d);
	eval_decide(y, q, a, &e);
	was = said(x, &d, q, a);
	is = said(y, &e, q, a);
	if (strcmp(was, is) == 0)
		return true;
	printf("with it: %s; without: %s\n", was, is);
	return false;
}

static void show_finding(const struct lint_finding *f)
{
	size_t i;

	if (!f)
		return;
	printf("said to decide nothing: %.*s:%u %.*s\n", STR_ARG(f->rule->at.file),
	       f->rule->at.line, STR_ARG(f->rule->text));
	for (i = 0; i < f->nby; i++)
		printf("because of: %.*s:%u %.*s\n", STR_ARG(f->by[i]->at.file),
		       f->by[i]->at.line, STR_ARG(f->by[i]->text));
}

/* --- all kinds ------------------------------------------------------------------------ */

/* `f` NULL: all findings. */
static void holds(struct law *l, unsigned long run, struct pol_gen *g, const struct pol *p,
		  const struct ir *ir, const struct lint_result *all,
		  const struct lint_finding *f)
{
	struct arena *a = g->r.a;
	bool *drop = arena_array(a, ir->rules.n + 1, sizeof(*drop));
	const struct ir *less;
	size_t i;

	for (i = 0; i < all->findings.n; i++)
		drop[all->findings.v[i].rule->index] = !f || f == &all->findings.v[i];
	less = without(ir, drop, a);
	for (i = 0; i < REQUESTS; i++) {
		const struct lint_finding *one =
			f ? f : &all->findings.v[rnd_below(&g->r, (uint32_t)all->findings.n)];
		struct ir_request q = near_request(&g->r, ir);

		if (!rnd_one_in(&g->r, 4)) {
			q = near_nothing(&g->r);
			near_rule(&g->r, one->rule, &q);
		}
		q.scope = rnd_one_in(&g->r, 2) ? IR_HOST : IR_SANDBOX;
		l->requests++;
		if (alike(ir, less, &q, a))
			continue;
		law_show(p);
		law_show_request(&q);
		show_finding(one);
		printf("SEED=%llu RUNS=1\n", (unsigned long long)l->seed + run);
		fail_msg("a rule that is said to decide nothing decides");
	}
}

static void one_policy(struct law *l, unsigned long run, struct arena *a)
{
	struct pol_gen g = law_gen(l, run, a);
	struct lint_result all;
	const struct ir *ir;
	struct pol p;
	size_t i;

	g.row = NULL;
	p = pol_random(&g);
	ir = law_ir(l, &p, a);
	if (!ir)
		return;
	look(ir, a, &all);
	l->bites += all.findings.n;
	for (i = 0; i < all.findings.n; i++)
		holds(l, run, &g, &p, ir, &all, &all.findings.v[i]);
	if (all.findings.n > 1)
		holds(l, run, &g, &p, ir, &all, NULL);
}

static void test_no_request_is_decided_in_another_way(void **state)
{
	struct law l;

	(void)state;
	law_begin(&l, "lint", 160, 0);
	law_repeat(&l, one_policy);
	law_end(&l);
}

/* --- command lines --------------------------------------------------------------------- */

static void lines_hold(struct rnd *r, unsigned long run, const char *const text[3],
		       const struct ir *ir, const struct lint_result *all,
		       const struct lint_finding *f)
{
	bool *drop = arena_array(r->a, ir->rules.n + 1, sizeof(*drop));
	const struct ir *less;
	size_t i;

	for (i = 0; i < all->findings.n; i++)
		drop[all->findings.v[i].rule->index] = !f || f == &all->findings.v[i];
	less = without(ir, drop, r->a);
	for (i = 0; i < LINES; i++) {
		const char *line = line_random(r);
		struct ir_request q = request(line);
		struct arena a;
		bool same;

		q.scope = rnd_one_in(r, 2) ? IR_HOST : IR_SANDBOX;
		arena_init(&a, ARENA_DEFAULT_BUDGET);
		same = alike(ir, less, &q, &a);
		arena_release(&a);
		seen.lines++;
		if (same)
			continue;
		show(text, line, run);
		show_finding(f);
		fail_msg("a rule that is said to decide nothing decides");
	}
}

static void one_command_policy(struct rnd *r, unsigned long run)
{
	struct lint_result all;
	struct compilation c;
	const char *text[3];
	struct options o;
	size_t i;

	random_policy(r, text);
	if (!compile(&c, &o, r->a, text))
		return;
	look(c.ir, r->a, &all);
	for (i = 0; i < all.findings.n; i++)
		lines_hold(r, run, text, c.ir, &all, &all.findings.v[i]);
	if (all.findings.n > 1)
		lines_hold(r, run, text, c.ir, &all, NULL);
}

static void test_no_line_is_decided_in_another_way(void **state)
{
	const char *seed = getenv("SEED"), *n = getenv("RUNS");
	unsigned long i;
	char rm[64];

	(void)state;
	first_seed = seed ? strtoull(seed, NULL, 0) : (uint64_t)time(NULL);
	runs = n ? strtoul(n, NULL, 0) / 10 + 1 : 16;
	assert_non_null(mkdtemp(dir));
	printf("lint of commands: SEED=%llu, %lu policies\n", (unsigned long long)first_seed,
	       runs);
	for (i = 0; i < runs; i++) {
		struct arena a;
		struct rnd r = { .s = (first_seed + i) * 0x9e3779b97f4a7c15u | 1, .a = &a };

		arena_init(&a, ARENA_DEFAULT_BUDGET);
		(void)rnd_below(&r, 2);
		one_command_policy(&r, i);
		arena_release(&a);
	}
	snprintf(rm, sizeof(rm), "rm -rf '%s'", dir);
	assert_int_equal(system(rm), 0);
	printf("lint of commands: %lu lines\n", seen.lines);
}

static void test_all_was_met(void **state)
{
	int i;

	(void)state;
	printf("findings: dead %lu opposite %lu redundant %lu overruled %lu; by several rules "
	       "%lu; open %lu;", found.kind[LINT_DEAD], found.kind[LINT_OPPOSITE],
	       found.kind[LINT_REDUNDANT], found.kind[LINT_OVERRULED], found.several,
	       found.open);
	for (i = 0; i < IR_KIND_COUNT; i++)
		printf(" %s %lu", ir_kind_name((enum ir_kind)i), found.of[i]);
	putchar('\n');
	if (getenv("RUNS"))
		return;
	for (i = 0; i < 4; i++)
		assert_true(found.kind[i] > 0);
	for (i = 0; i < IR_KIND_COUNT; i++)
		assert_true(found.of[i] > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_request_is_decided_in_another_way),
		cmocka_unit_test(test_no_line_is_decided_in_another_way),
		cmocka_unit_test(test_all_was_met),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
