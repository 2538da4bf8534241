/*
 * L5: on random policies and requests the evaluator and the compiled tables
 * decide the same, by the same rule.  SEED= and RUNS= in the environment.
 */
#include <stdio.h>

#include "compiler/analysis/lift.h"
#include "compiler/backend/commands/commands.h"
#include "compiler/backend/matcher/matcher.h"
#include "compiler/backend/rules/rules.h"
#include "compiler/eval/eval.h"
#include "runtime/decide/near.h"
#include "tests/prop/runs.h"

#define REQUESTS 200
#define ENOUGH 400 /* policies, of which each kind of decision must come */

static struct {
	unsigned long step[EVAL_STEP_COUNT], level[IR_LEVEL_COUNT],
		effect[IR_EFFECT_COUNT], kind[IR_KIND_COUNT], risk[IR_RISK_COUNT],
		person, lifted, scratch, requests;
} seen;

static struct decide_ctx context(struct arena *a, const struct bundle *b,
				 const struct ir_request *q)
{
	struct decide_ctx c = { .b = b, .scope = (uint8_t)q->scope,
				.cwd = str_z(a, q->cwd) };
	size_t i;

	for (i = 0; i < IR_ROOT_COUNT; i++)
		if (q->roots.dir[i].p)
			c.roots.dir[i] = str_z(a, q->roots.dir[i]);
	return c;
}

static void ask(struct arena *a, const struct bundle *b, const struct ir_request *q,
		struct decision *ret)
{
	struct decide_ctx c = context(a, b, q);
	static uint8_t block[16 << 20] __attribute__((aligned(16)));
	const char *argv[8];
	size_t i;

	switch (q->kind) {
	case IR_COMMAND:
		for (i = 0; i < q->nargv; i++)
			argv[i] = str_z(a, q->argv[i]);
		if (q->unparsed)
			decide_unparsed(&c, ret);
		else
			decide_words(&c, argv, q->nargv, block, sizeof(block), NULL, ret);
		return;
	case IR_FILE:
		decide_file(&c, (uint8_t)q->op, str_z(a, q->path), ret);
		return;
	case IR_UNIX:
		decide_unix(&c, str_z(a, q->path), q->abstract, ret);
		return;
	case IR_NET:
		decide_net(&c, q->proto == IR_UDP, q->addr, q->port, ret);
		return;
	case IR_TOOL:
		decide_tool(&c, str_z(a, q->tool), ret);
		return;
	case IR_SYSCALL:
	case IR_KIND_COUNT:
		break;
	}
	abort();
}

static uint32_t number_of(const struct bundle *b, const struct eval_decision *d)
{
	return d->rule ? d->rule->index : b->rules->scalar_first + (uint32_t)d->scalar;
}

static bool same(const struct bundle *b, const struct ir_request *q,
		 const struct eval_decision *e, const struct decision *d)
{
	size_t i;

	if ((unsigned)e->effect != d->effect || number_of(b, e) != d->rule ||
	    e->needs_person != d->needs_person)
		return false;
	if (q->kind == IR_COMMAND && (unsigned)e->risk != d->risk)
		return false;
	/* matched rules are for the gateway */
	if (q->kind == IR_NET)
		return true;
	if (e->nmatched != d->nmatched)
		return false;
	for (i = 0; i < e->nmatched && i < DECIDE_MAX_MATCHED; i++)
		if (e->matched[i]->index != d->matched[i])
			return false;
	return true;
}

/* Decided after other paths, it is the same. */
static bool same_near(const struct decide_ctx *c, struct decide_near *near, const char *path)
{
	const struct decision *each = decide_file_each(c, near, path);

	for (unsigned i = 0; i < DECIDE_FILE_OPS; i++) {
		struct decision d;
		uint32_t n;

		decide_file(c, (uint8_t)(1u << i), path, &d);
		n = d.nmatched < DECIDE_MAX_MATCHED ? d.nmatched : DECIDE_MAX_MATCHED;
		if (d.effect == each[i].effect && d.rule == each[i].rule &&
		    d.nmatched == each[i].nmatched &&
		    memcmp(d.matched, each[i].matched, n * sizeof(d.matched[0])) == 0)
			continue;
		printf("'%s' operation %u: effect %u rule %u, after other paths %u rule %u\n",
		       path, i, d.effect, d.rule, each[i].effect, each[i].rule);
		return false;
	}
	return true;
}

static void count(const struct ir_request *q, const struct eval_decision *e)
{
	size_t i;

	seen.requests++;
	seen.step[e->step]++;
	seen.effect[e->effect]++;
	seen.kind[q->kind]++;
	seen.person += e->needs_person;
	if (q->kind == IR_COMMAND)
		seen.risk[e->risk]++;
	if (e->rule)
		seen.level[e->rule->level]++;
	seen.scratch += e->rule && e->rule->scratch;
	for (i = 0; i < e->nmatched; i++)
		seen.lifted += e->matched[i]->nlifted_by &&
			       e->effect < e->matched[i]->effect;
}

static void complain(const struct ir *ir, const struct bundle *b,
		     const struct ir_request *q, const struct eval_decision *e,
		     const struct decision *d)
{
	size_t i;

	ir_print(stdout, ir);
	printf("request %s scope %d cwd '%.*s' path '%.*s' op %d tool '%.*s'\n",
	       ir_kind_name(q->kind), q->scope, STR_ARG(q->cwd), STR_ARG(q->path),
	       q->op, STR_ARG(q->tool));
	for (i = 0; i < q->nargv; i++)
		printf("  word '%.*s'\n", STR_ARG(q->argv[i]));
	for (i = 0; i < IR_ROOT_COUNT; i++)
		printf("  root %zu '%.*s'\n", i, STR_ARG(q->roots.dir[i]));
	printf("evaluator: %s rule %u risk %d matched", ir_effect_name(e->effect),
	       number_of(b, e), e->risk);
	for (i = 0; i < e->nmatched; i++)
		printf(" %u", e->matched[i]->index);
	printf("\ntables:    %s rule %u risk %d matched",
	       ir_effect_name((enum ir_effect)d->effect), d->rule, d->risk);
	for (i = 0; i < d->nmatched && i < DECIDE_MAX_MATCHED; i++)
		printf(" %u", d->matched[i]);
	printf("\n");
}

/* --- what chance makes too seldom ----------------------------------------------------------- */

/* One policy in so many is of these kinds, in turn. */
#define SURE_EACH 4
enum { SURE_LOW_RISK, SURE_LIFTED, SURE_SCRATCH, SURE_BASE_ALLOW, SURE_COUNT };

static void sure_rule(struct rnd *r, struct ir *ir, enum ir_kind kind, enum ir_level level,
		      enum ir_effect effect)
{
	struct ir_rule *rule = rnd_rule(r, kind, level, false);

	rule->effect = effect;
	rule->final = rule->soft = false;
	rule->full = true;
	rule->scratch = kind == IR_FILE;
	rule->scopes = rule->scratch ? IR_SANDBOX : IR_ALL_SCOPES;
	rule->nexcept = 0;
	memset(&rule->set, 0, sizeof(rule->set));
	if (kind == IR_COMMAND) {
		rule->set.u.command = (struct ir_command){ .text = STR("a"), .nwords = 1 };
		rule->set.u.command.words = ARENA_NEW(r->a, struct ir_word);
		rule->set.u.command.words[0].glob = rnd_glob_of(r, "a");
	} else {
		rule->set.u.file.path = (struct ir_path){ .text = STR("/a") };
		rule->set.u.file.path.glob = rnd_glob_of(r, "/a");
		rule->set.u.file.ops = IR_READ;
	}
	rule->index = (uint32_t)ir->rules.n;
	VEC_PUSH(r->a, &ir->rules, rule);
}

/* The scalars are random, the rules are these alone; *ret_q is what they decide. */
static struct ir *sure_ir(struct rnd *r, unsigned sure, struct ir_request *ret_q)
{
	struct ir *ir = rnd_ir(r);
	struct ir_risk_fact low = { .level = IR_DEFAULT, .risk = IR_RISK_LOW, .id = STR("risk") };

	memset(&ir->rules, 0, sizeof(ir->rules));
	memset(&ir->risks, 0, sizeof(ir->risks));
	memset(&ir->locked, 0, sizeof(ir->locked));
	if (sure == SURE_LIFTED)
		sure_rule(r, ir, IR_COMMAND, IR_PROJECT, IR_ALLOW);
	if (sure == SURE_SCRATCH)
		sure_rule(r, ir, IR_FILE, IR_PROJECT, IR_ALLOW);
	else
		sure_rule(r, ir, IR_COMMAND, IR_DEFAULT,
			  sure == SURE_LIFTED ? IR_DENY : IR_ALLOW);
	low.set = ir->rules.v[0]->set;
	low.at = ir->rules.v[0]->at;
	if (sure == SURE_LOW_RISK)
		VEC_PUSH(r->a, &ir->risks, low);
	ir->line_facts = lower_line_facts(ir, r->a, NULL);
	*ret_q = rnd_request(r);
	ret_q->kind = sure == SURE_SCRATCH ? IR_FILE : IR_COMMAND;
	ret_q->scope = IR_SANDBOX;
	ret_q->unparsed = false;
	ret_q->op = IR_READ;
	ret_q->path = STR("/a");
	ret_q->argv[0] = STR("a");
	ret_q->nargv = 1;
	return ir;
}

static bool one_policy(struct rnd *r)
{
	bool sure = r->seed % SURE_EACH == 0;
	struct ir_request sure_q;
	struct ir *ir = sure ? sure_ir(r, (unsigned)(r->seed / SURE_EACH % SURE_COUNT), &sure_q) :
			       rnd_ir(r);
	struct diag_sink sink;
	struct bk_output out = { .a = r->a };
	static struct pb_mounts no_mounts;
	struct bundle b = { .size = 0 };
	static struct decide_near near;
	struct decide_ctx one = { .b = &b };
	const char *why;
	int i;

	near = (struct decide_near){ .nmarks = 0 };
	diag_init(&sink, r->a);
	pass_lift(ir, &sink);
	why = ir_verify(ir, r->a);
	if (!why &&
	    (!bk_rules.emit(ir, &out, &sink) || !bk_matcher.emit(ir, &out, &sink) ||
	     !bk_commands.emit(ir, &out, &sink)))
		why = "not emitted";
	if (!why)
		why = bk_rules.verify(ir, &out, r->a);
	if (!why)
		why = bk_matcher.verify(ir, &out, r->a);
	if (why) {
		ir_print(stdout, ir);
		printf("%s\n", why);
		return false;
	}
	b.rules = (const void *)bk_member(&out, PB_RULES)->bytes.p;
	b.matcher = (const void *)bk_member(&out, PB_MATCHER)->bytes.p;
	b.commands = (const void *)bk_member(&out, PB_COMMANDS)->bytes.p;
	b.mounts = &no_mounts;
	for (i = 0; i < REQUESTS; i++) {
		struct ir_request q = sure && !i ? sure_q : rnd_request(r);
		struct eval_decision e;
		struct decision d;

		eval_decide(ir, &q, r->a, &e);
		ask(r->a, &b, &q, &d);
		if (!same(&b, &q, &e, &d)) {
			complain(ir, &b, &q, &e, &d);
			return false;
		}
		if (!i)
			one = context(r->a, &b, &q);
		if (q.kind == IR_FILE && !same_near(&one, &near, str_z(r->a, q.path))) {
			complain(ir, &b, &q, &e, &d);
			return false;
		}
		count(&q, &e);
	}
	return true;
}

static int report(const char *what, const char *name, unsigned long n, bool expected)
{
	printf("%s %s: %lu\n", what, name, n);
	if (n || !expected)
		return 0;
	printf("FAIL: %s %s never decided\n", what, name);
	return 1;
}

static int coverage(void)
{
	int bad = 0, i;

	for (i = 0; i < EVAL_STEP_COUNT; i++)
		bad += report("step", eval_step_name((enum eval_step)i), seen.step[i],
			      i != EVAL_STEP_UNKNOWN && i != EVAL_STEP_GUARD);
	for (i = IR_MANAGED; i < IR_LEVEL_COUNT; i++)
		bad += report("level", ir_level_name((enum ir_level)i), seen.level[i],
			      true);
	for (i = 0; i < IR_EFFECT_COUNT; i++)
		bad += report("effect", ir_effect_name((enum ir_effect)i),
			      seen.effect[i], true);
	/* system calls are decided by the filter: see prop_seccomp */
	for (i = 0; i < IR_KIND_COUNT; i++)
		bad += report("kind", ir_kind_name((enum ir_kind)i), seen.kind[i],
			      i != IR_SYSCALL);
	for (i = 0; i < IR_RISK_COUNT; i++)
		bad += report("risk", ir_risk_name((enum ir_risk)i), seen.risk[i],
			      true);
	bad += report("ask", "a person", seen.person, true);
	bad += report("default", "lifted", seen.lifted, true);
	bad += report("scratch", "tree", seen.scratch, true);
	return bad;
}

int main(void)
{
	unsigned long n;
	int bad;

	if (!prop_runs(ENOUGH, one_policy, &n))
		return 1;
	bad = coverage();
	printf("%lu requests\n", seen.requests);
	/* a few policies of a seed that nobody chose may leave out the rarest */
	if (n < ENOUGH)
		bad = 0;
	printf("%d passed, %d failed, 0 skipped\n", bad ? 0 : 1, bad ? 1 : 0);
	return bad ? 1 : 0;
}
