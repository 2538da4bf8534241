/*
 * The evaluator decides with an index (eval/index.h) as it does without: effect, what decided,
 * and every rule that matches, of random policies under requests around their rules.
 * SEED= and RUNS= repeat a run.
 */
#include "compiler/eval/index.h"
#include "compiler/eval/line.h"
#include "tests/prop/laws.h"
#include "tests/prop/pair_ask.h"
#include "tests/prop/pair_edit.h"

#define REQUESTS 150
#define TRIES 8

static struct {
	unsigned long kind[IR_KIND_COUNT], few[IR_KIND_COUNT], tried, all, unknown;
} seen;

static void broken(struct law *l, unsigned long run, const struct pol *p,
		   const struct ir_request *q, const char *what)
{
	law_show(p);
	law_show_request(q);
	if (q->line.p)
		printf("line <%.*s>\n", STR_ARG(q->line));
	printf("SEED=%llu RUNS=1\n", (unsigned long long)l->seed + run);
	fail_msg("with the index %s", what);
}

static bool same_rules(const struct ir_rule *const *x, size_t nx, const struct ir_rule *const *y,
		       size_t ny)
{
	return nx == ny && (!nx || memcmp(x, y, nx * sizeof(*x)) == 0);
}

/* NULL, or what is different. */
static const char *differs(const struct eval_decision *x, const struct eval_decision *y)
{
	if (x->effect != y->effect)
		return "the effect is another one";
	if (x->rule != y->rule || (!x->rule && x->scalar != y->scalar) || x->step != y->step)
		return "something else decides";
	if (x->needs_person != y->needs_person || x->err != y->err)
		return "the person or the errno is another one";
	/* the copy of the policy has the same list of classes */
	if (x->risk != y->risk || x->risk_fact != y->risk_fact)
		return "the class of risk is another one";
	if (!same_rules(x->matched, x->nmatched, y->matched, y->nmatched))
		return "other rules match";
	return NULL;
}

static const char *parts_differ(const struct eval_line *x, const struct eval_line *y)
{
	const char *why = NULL;

	if (!x || !y)
		return x == y ? NULL : "there is another line";
	if (x->nparts != y->nparts || x->why != y->why || x->deciding != y->deciding)
		return "another part decides";
	for (size_t i = 0; i < x->nparts && !why; i++) {
		const struct eval_part_decision *p = &x->parts[i], *q = &y->parts[i];

		why = differs(&p->d, &q->d);
		if (p->step != q->step || p->because != q->because || p->word != q->word ||
		    p->inert != q->inert || p->nrules != q->nrules)
			why = "a part is decided otherwise";
		for (size_t k = 0; k < p->nrules && !why; k++)
			if (p->rules[k].rule != q->rules[k].rule ||
			    p->rules[k].must != q->rules[k].must)
				why = "other rules match a part";
	}
	return why;
}

/* How much of the policy is still tried? */
static void note(const struct ir *indexed, const struct ir_request *q, const struct eval_line *line,
		 struct arena *a)
{
	size_t few = indexed->rules.n;

	if (q->kind != IR_COMMAND)
		few = eval_few_rules(indexed, q, a).n;
	for (size_t i = 0; line && i < line->nparts; i++) {
		struct eval_asked asked = { .ir = indexed, .req = q, .part = line->parts[i].part,
					    .world = &(struct cmd_world){ .facts = indexed->line_facts } };

		if (asked.part->kind == CMD_COMMAND && eval_few_commands(&asked, a).n < few)
			few = eval_few_commands(&asked, a).n;
	}
	seen.kind[q->kind]++;
	seen.few[q->kind] += few < indexed->rules.n;
	seen.tried += few;
	seen.all += indexed->rules.n;
}

static void ask(struct law *l, unsigned long run, const struct pol *p, const struct ir *plain,
		const struct ir *indexed, const struct ir_request *q)
{
	struct eval_decision d, e;
	const char *why;
	struct arena a;

	arena_init(&a, ARENA_DEFAULT_BUDGET);
	eval_decide(plain, q, &a, &d);
	eval_decide(indexed, q, &a, &e);
	why = differs(&d, &e);
	if (!why)
		why = parts_differ(d.line, e.line);
	if (why)
		broken(l, run, p, q, why);
	note(indexed, q, e.line, &a);
	l->requests++;
	l->bites += d.nmatched > 0;
	arena_release(&a);
}

/* A line with words that only the shell knows, some of them in place of one of the command's. */
static void make_unknown(struct rnd *r, struct ir_request *q)
{
	static const char *const words[] = { "$X", "\"$X\"", "a$X", "*", "s*", "~", "~/x", "\"$@\"", "{a,b}" };
	uint32_t at = rnd_below(r, (uint32_t)q->nargv);
	struct buf b;

	buf_init(&b, r->a);
	if (rnd_one_in(r, 4))
		buf_printf(&b, "xargs ");
	for (size_t i = 0; i < q->nargv; i++) {
		struct str word = i == at ? str_from(RND_PICK(r, words)) : q->argv[i];

		for (size_t k = 0; i != at && k < word.n; k++)
			if (!strchr("abcdefghijklmnopqrstuvwxyz-_./:", word.p[k]))
				return;
		buf_printf(&b, "%s%.*s", i ? " " : "", STR_ARG(word));
	}
	q->line = buf_view(&b);
	q->argv = NULL;
	q->nargv = 0;
	seen.unknown++;
}

/* Near a rule of commands. */
static void make_command(struct rnd *r, const struct ir *ir, struct ir_request *q)
{
	const struct ir_rule *rule;

	for (size_t i = 0, n = ir->rules.n; i < n; i++) {
		rule = ir->rules.v[rnd_below(r, (uint32_t)n)];
		if (rule->kind != IR_COMMAND || rule->set.u.command.regex)
			continue;
		near_rule(r, rule, q);
		if (rnd_one_in(r, 3) && q->nargv)
			make_unknown(r, q);
		else
			pair_command(r, q);
		return;
	}
}

/* The rules of the policy, each in turn, so that a request lies at the edge of each. */
static void one_policy(struct law *l, unsigned long run, struct arena *a)
{
	static const char *const dirs[IR_ROOT_COUNT] = { "/", "/h", "/h/p", "/s", "/t", "/g", "/r" };
	uint64_t seed = l->seed + run;
	struct rnd r = { .s = seed * 0x9e3779b97f4a7c15u | 1, .a = a };
	struct diff_where where = { .scope = IR_SANDBOX, .cwd = STR("/h/p") };
	struct pair_near near = { .where = &where };
	struct pair_policy policy;
	const struct ir *indexed;
	struct pol text;

	for (int i = 0; i < 8; i++)
		(void)rnd_below(&r, 2);
	for (int i = 0; i < IR_ROOT_COUNT; i++)
		if (i == IR_ROOT_FS || !rnd_one_in(&r, 20))
			where.roots.dir[i] = str_from(dirs[i]);
	if (rnd_one_in(&r, 10))
		where.roots.dir[IR_ROOT_HOME] = STR("/");
	for (int i = 0; i < TRIES && !near.ir[0]; i++) {
		policy = pair_random(&r, (enum ir_kind)(seed % IR_KIND_COUNT));
		text = pair_texts(a, &policy);
		near.ir[0] = law_ir(l, &text, a);
	}
	if (!near.ir[0])
		return;
	near.ir[1] = near.ir[0];
	for (size_t i = 0; i < near.ir[0]->rules.n; i++)
		VEC_PUSH(a, &near.changed, near.ir[0]->rules.v[i]);
	indexed = eval_index_add(near.ir[0], a);
	for (int i = 0; i < REQUESTS; i++) {
		struct ir_request q = pair_request(&r, &near);

		if (rnd_one_in(&r, 3))
			make_command(&r, near.ir[0], &q);
		q.scope = rnd_one_in(&r, 3) ? IR_HOST : IR_SANDBOX;
		ask(l, run, &text, near.ir[0], indexed, &q);
	}
}

/* Each kind was asked about, and the index left rules out. */
static bool is_each_kind_there(void)
{
	bool all = seen.tried * 2 < seen.all && seen.unknown;

	for (int i = 0; i < IR_KIND_COUNT; i++) {
		printf("%s%s %lu of %lu with fewer rules", i ? ", " : "", ir_kind_name((enum ir_kind)i),
		       seen.few[i], seen.kind[i]);
		all &= seen.few[i] * 2 > seen.kind[i];
	}
	printf("; %lu of %lu rules tried, %lu lines with unknown words\n", seen.tried, seen.all,
	       seen.unknown);
	return all;
}

static void test_an_index_changes_no_decision(void **state)
{
	struct law l;

	(void)state;
	law_begin(&l, "index", 300, 0);
	l.met = is_each_kind_there;
	law_repeat(&l, one_policy);
	law_end(&l);
}

/* A copy has other rules, perhaps: it must not be decided with the index of the original. */
static void test_a_copy_of_a_policy_has_no_index(void **state)
{
	struct ir_request q = { .kind = IR_TOOL, .scope = IR_SANDBOX, .tool = STR("x") };
	const struct ir *indexed;
	struct ir *plain, copy;
	struct arena a;

	(void)state;
	arena_init(&a, ARENA_DEFAULT_BUDGET);
	plain = ir_new(&a);
	indexed = eval_index_add(plain, &a);
	assert_non_null(eval_few_rules(indexed, &q, &a).at);
	copy = *indexed;
	assert_null(eval_few_rules(&copy, &q, &a).at);
	assert_null(eval_few_rules(plain, &q, &a).at);
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_copy_of_a_policy_has_no_index),
		cmocka_unit_test(test_an_index_changes_no_decision),
	};

	cmocka_set_test_filter(getenv("ONLY")); /* with * and ? */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
